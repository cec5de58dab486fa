// A frame with the page of a live session; what the page asks goes to Python, and the answer back.

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "linkwork";
  frame.style.cssText = `width:100%;height:${model.get("height")}px;border:0;border-radius:4px`;
  frame.srcdoc = model.get("page");
  el.append(frame);
  const ask = ({ source, data }) => {
    if (source === frame.contentWindow && data?.linkwork) model.send(data);
  };
  const answer = ({ number, answer }) => frame.contentWindow?.postMessage({ linkwork: "answer", number, answer }, "*");
  const show = () => (frame.srcdoc = model.get("page"));
  addEventListener("message", ask);
  model.on("msg:custom", answer);
  model.on("change:page", show);
  return () => {
    removeEventListener("message", ask);
    model.off("msg:custom", answer);
    model.off("change:page", show);
  };
}

export default { render };
