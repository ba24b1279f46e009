// Loaded before the fast tests: makes a test fail that starts a process or opens a socket.
import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

const refuse = (what) =>
  function refused() {
    throw new Error(`a fast test ${what}: see scripts/fast/files.mjs for what makes a test file fast`);
  };
ChildProcess.prototype.spawn = refuse('starts a process');
const { listen } = Server.prototype;
/** A name without a port is the lock of a store's folder. */
Server.prototype.listen = function (...where) {
  return typeof where[0] === 'string' ? listen.apply(this, where) : refuse('listens on a socket')();
};
Socket.prototype.connect = refuse('connects a socket');
