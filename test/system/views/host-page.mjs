/**
 * A chat, as far as a view sees one: the bridge of the protocol's own package in a page, a sandboxed frame with the policy that the
 * specification names, and beyond it the MCP client of the test (`callTool`, which the page is given by it).
 */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; object-src 'none'; connect-src 'none'";

/** Shows a view with the result of its tool; what it tells the model is collected in `told`. */
globalThis.showView = async ({ html, args, result, context }) => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = "border: 0; width: 640px; display: block";
  document.body.replaceChildren(frame);
  document.body.style.cssText = `margin: 0; background: ${context.theme === "dark" ? "#1d1e20" : "#fff"}`;
  const bridge = new AppBridge(
    null,
    { name: "test chat", version: "1.0.0" },
    { serverTools: {}, updateModelContext: { text: {} } },
    { hostContext: context },
  );
  const told = [];
  bridge.oncalltool = (params) => globalThis.callTool(params);
  bridge.onupdatemodelcontext = async ({ content }) => {
    told.push(...(content ?? []).map(({ text }) => text));
    return {};
  };
  bridge.onsizechange = ({ height }) => {
    frame.style.height = `${height}px`;
  };
  const ready = new Promise((resolve) => {
    bridge.oninitialized = () => resolve(undefined);
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  await ready;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
  globalThis.told = told;
};
