/**
 * The minimal cost of an HTTP answer: uWebSockets.js reads a POST body and gives a fixed small answer, without any
 * other work. Run it with `node bench/lib/bare-echo.ts`; it prints its port.
 */
import * as uws from "uWebSockets.js";

const ANSWER = Buffer.from('{"jsonrpc":"2.0","id":1,"result":59}');

const app = uws.App();
app.post("/*", (response) => {
  response.onAborted(() => {});
  response.onData((_part, last) => {
    if (last) response.end(ANSWER);
  });
});
app.listen("127.0.0.1", 0, (socket) => {
  if (socket === false) throw new Error("no port to listen on");
  process.stdout.write(`${uws.us_socket_local_port(socket)}\n`);
});
