import uws, { type HttpRequest } from 'uWebSockets.js';

// A server that only joins cached pieces and sends them. bare-page.ts starts it and measures it from outside.

/** The size of a status with its author. */
const PIECE_BYTES = 1_440;
const PIECES = 640;
const PAGE = 20;

const pieces = Array.from({ length: PIECES }, (_, id) => {
  const text = JSON.stringify({ id, content: '' });
  return Buffer.from(text.replace('""', `"${'a'.repeat(PIECE_BYTES - text.length)}"`));
});

/** Returns a JSON array of consecutive pieces. */
function page(from: number): Buffer {
  const joined = Buffer.allocUnsafe(PAGE * (PIECE_BYTES + 1) + 1);
  for (let number = 0; number < PAGE; number++) {
    const at = number * (PIECE_BYTES + 1);
    joined[at] = number === 0 ? 0x5b : 0x2c;
    joined.set(pieceAt(from + number), at + 1);
  }
  joined[joined.length - 1] = 0x5d;
  return joined;
}

const pieceAt = (number: number): Buffer => pieces[number % PIECES] as Buffer;
const wanted = (request: HttpRequest): number => Number(request.getParameter(0));

uws
  .App()
  .get('/page/:from', (response, request) => {
    const from = wanted(request);
    response.writeHeader('content-type', 'application/json').end(page(from));
  })
  .get('/piece/:from', (response, request) => {
    const from = wanted(request);
    response.writeHeader('content-type', 'application/json').end(pieceAt(from));
  })
  .listen('127.0.0.1', 0, (socket) => {
    process.send?.({ port: socket === false ? 0 : uws.us_socket_local_port(socket) });
  });
process.on('disconnect', () => process.exit(0));
