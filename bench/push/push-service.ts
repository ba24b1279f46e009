import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A push service that takes every message unread. sender.ts starts it; it ends with its parent.

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(201).end());
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
