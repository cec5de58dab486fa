// How finely to draw so that frames come in time: coarser while things move and frames are late, finest when at rest.

const LATE = 0.0185; // s between frames: 60 a second are not reached
const SKIPPED = 2; // frames after a change, in which programs are made
const JUDGED = 10; // frames by which a grade is judged
const FEWEST = 3; // frames that do, if they take long
const LONG = 0.6; // s
const GAIN = 0.8; // of the time between frames is left, at most, with the coarsest grade: else it is not the drawing
const REST = 0.25; // s without a change

// Pixels a pixel of the screen, with shadows or without, pixels by which a corner may be off (lw/levels).
export const GRADES = [
  { sharp: 1, shadows: true, off: 0.75 },
  { sharp: 1, shadows: false, off: 0.75 },
  { sharp: 0.75, shadows: false, off: 1 },
  { sharp: 0.5, shadows: false, off: 1 },
  { sharp: 0.5, shadows: false, off: 2.5 },
  { sharp: 0.35, shadows: false, off: 2.5 },
];

export class Pace {
  constructor(stage) {
    Object.assign(this, { stage, grade: 0, last: GRADES.length - 1, gaps: [], finest: 0, idle: 0, resting: false });
    this.still = { ...GRADES[0], off: 0.5, sharp: stage.software ? 2 : 1 }; // smooths edges, where nothing else does
  }

  // Some seconds have passed since the last call; `moving`: something has changed.  Is there anything to draw?
  due(passed, moving) {
    this.idle = moving ? 0 : this.idle + passed;
    if (moving && !this.resting) this.#judge(passed);
    const rest = this.idle > REST;
    if (rest === this.resting) return moving;
    this.resting = rest;
    this.#take(rest ? this.still : GRADES[this.grade]);
    return moving || this.grade > 0 || this.stage.software;
  }

  #judge(passed) {
    this.gaps.push(passed);
    const seen = this.gaps.slice(SKIPPED);
    const long = seen.length >= FEWEST && seen.reduce((sum, gap) => sum + gap, 0) > LONG;
    if (seen.length < JUDGED && !long) return;
    const middle = seen.sort((a, b) => a - b)[seen.length >> 1];
    this.gaps.splice(SKIPPED);
    if (this.grade === 0) this.finest = middle;
    if (middle <= LATE || this.last === 0) return;
    if (this.grade < this.last) this.grade += 1;
    else if (middle > GAIN * this.finest) this.grade = this.last = 0;
    else return;
    this.#take(GRADES[this.grade]);
  }

  #take(grade) {
    this.gaps.length = 0;
    this.stage.setGrade(grade);
  }
}
