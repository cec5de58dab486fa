// Search works from a folder too.  Browsers refuse workers from files; where the page is one, a frame stands in for the
// worker: it runs the same script, and messages go to and fro as events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.scope = frame.contentWindow;
      this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.scope.importScripts = (...urls) => Promise.all(urls.map((one) => this.load(one)));
      this.load(url).then(() => {
        this.ready = true;
        this.waiting.forEach((data) => this.postMessage(data));
      });
    }
    load(url) {
      const script = this.scope.document.createElement("script");
      script.src = new URL(url, location.href).href;
      const loaded = new Promise((resolve) => script.addEventListener("load", resolve));
      this.scope.document.body.append(script);
      return loaded;
    }
    postMessage(data) {
      if (!this.ready) this.waiting.push(data);
      else this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data }));
    }
    terminate() {}
  };
}
