import type { HttpRequest, HttpResponse, RecognizedString } from 'uWebSockets.js';
import type { Server } from '../../../gateway/server.js';

/** Sends a request like `fetch`, to a path. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Size of the pieces in which a body arrives. */
const PIECE_BYTES = 65_536;
const PEER = Uint8Array.from(Buffer.from('127.0.0.1')).buffer;
const LINE_END = '\r\n';
/** Headers of a client that sends none of its own. */
const USUAL: Readonly<Record<string, string>> = { host: 'localhost', accept: '*/*', 'user-agent': 'node' };

/**
 * Returns a function that hands requests to the handler of a server in this process, without a socket. Everything
 * above uWebSockets is the code that users run. Redirects are not followed.
 */
export function injector(server: () => Pick<Server, 'receive'>): Send {
  return async (path, init = {}) => {
    const given = new Request(`http://localhost${path}`, init);
    const body = Buffer.from(await given.arrayBuffer());
    const headers: Record<string, string> = { ...USUAL, ...Object.fromEntries(given.headers) };
    if (body.length > 0 || !['GET', 'HEAD'].includes(given.method)) headers['content-length'] = String(body.length);
    // A request arrives in a turn of its own; otherwise clients that wait for nothing else would stop the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const response = new InjectedResponse();
    const { signal } = init;
    // The signal of the Request follows this one only until garbage collection.
    signal?.addEventListener('abort', () => response.abort(signal.reason));
    server().receive(response.asReceived(), requestOf(given.method, path, headers));
    response.feed(body);
    return response.answered;
  };
}

/** Returns the part of a request that the server reads. */
function requestOf(method: string, path: string, headers: Readonly<Record<string, string>>): HttpRequest {
  const [url = '', ...query] = path.split('?');
  const request: Partial<HttpRequest> = {
    getMethod: () => method.toLowerCase(),
    getCaseSensitiveMethod: () => method,
    getUrl: () => url,
    // A fragment is not sent.
    getQuery: () => query.join('?').split('#')[0] ?? '',
    getHeader: (name: RecognizedString) => headers[String(name)] ?? '',
    forEach: (each) => {
      for (const [name, value] of Object.entries(headers)) each(name, value);
    },
  };
  return request as HttpRequest;
}

/** Collects what a server writes, with the methods of uWebSockets' response that the server calls. */
class InjectedResponse {
  readonly answered: Promise<Response>;
  #resolve: (response: Response) => void = () => {};
  #reject: (why: Error) => void = () => {};
  #head = '';
  #sent: Buffer[] = [];
  #sentBytes = 0;
  #ended = false;
  /** Takes the bytes of a body of unknown length, once its first bytes are written. */
  #flowing: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #aborting: (() => void)[] = [];
  #take: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined;

  constructor() {
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  asReceived(): HttpResponse {
    const response: Partial<HttpResponse> = {
      cork: (write) => {
        write();
        return response as HttpResponse;
      },
      writeStatus: (status) => {
        this.#head += textOf(status) + LINE_END;
        // An answer ahead of the request's end has its body in here, too.
        const end = this.#head.indexOf(LINE_END + LINE_END);
        if (end >= 0) {
          this.#sent = [Buffer.from(this.#head.slice(end + 4), 'latin1')];
          this.#head = this.#head.slice(0, end);
          this.#finish();
        }
        return response as HttpResponse;
      },
      writeHeader: (name, value) => {
        this.#head += `${textOf(name)}: ${textOf(value)}${LINE_END}`;
        return response as HttpResponse;
      },
      end: (body) => {
        if (body !== undefined) this.#add(body);
        this.#finish();
        return response as HttpResponse;
      },
      endWithoutBody: () => {
        this.#finish();
        return response as HttpResponse;
      },
      tryEnd: (piece, size) => {
        this.#add(piece);
        const isDone = this.#sentBytes >= size;
        if (isDone) this.#finish();
        return [true, isDone];
      },
      write: (piece) => {
        this.#flowing ??= this.#flow();
        this.#flowing.enqueue(copied(piece));
        return true;
      },
      getWriteOffset: () => this.#sentBytes,
      onWritable: () => response as HttpResponse,
      onAborted: (told) => {
        this.#aborting.push(told);
        return response as HttpResponse;
      },
      onData: (take) => {
        this.#take = take;
        return response as HttpResponse;
      },
      getRemoteAddressAsText: () => PEER,
      close: () => {
        if (!this.#ended) this.abort(new Error('the server closed the connection'));
        return response as HttpResponse;
      },
    };
    return response as HttpResponse;
  }

  /** Delivers the request's body, after the handler has returned as uWebSockets does. */
  feed(body: Buffer): void {
    for (let from = 0; from === 0 || from < body.length; from += PIECE_BYTES) {
      const piece = Uint8Array.from(body.subarray(from, from + PIECE_BYTES));
      this.#take?.(piece.buffer, from + PIECE_BYTES >= body.length);
    }
  }

  /** Ends the connection from either side. */
  abort(why: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const told of this.#aborting) told();
    this.#reject(why);
    this.#flowing?.error(why);
  }

  #add(bytes: RecognizedString): void {
    const copy = copied(bytes);
    this.#sent.push(copy);
    this.#sentBytes += copy.length;
  }

  #finish(): void {
    this.#ended = true;
    const body = Buffer.concat(this.#sent);
    if (this.#flowing === undefined) this.#answer(body.length === 0 ? null : body);
    else {
      this.#flowing.enqueue(body);
      this.#flowing.close();
    }
  }

  #flow(): ReadableStreamDefaultController<Uint8Array> {
    let flowing: ReadableStreamDefaultController<Uint8Array> | undefined;
    this.#answer(
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          flowing = controller;
        },
        cancel: () => this.abort(new Error('the client closed the connection')),
      }),
    );
    if (flowing === undefined) throw new Error('a stream starts at once');
    return flowing;
  }

  #answer(body: Buffer | ReadableStream<Uint8Array> | null): void {
    const [first = '', ...lines] = this.#head.split(LINE_END).filter((line) => line !== '');
    const status = Number(first.split(' ')[0]);
    const headers = new Headers();
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    // uWebSockets adds the length of a body that it knows.
    if (body instanceof Buffer) headers.set('content-length', String(body.length));
    this.#resolve(new Response(body as BodyInit | null, { status, headers }));
  }
}

function bytesOf(bytes: Exclude<RecognizedString, string>): Uint8Array {
  return ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
}

/** Returns a copy: the server reuses its buffers. */
function copied(bytes: RecognizedString): Buffer {
  return typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytesOf(bytes));
}

/** Returns the text of a part of a head; its bytes are Latin-1, as on a connection. */
function textOf(part: RecognizedString): string {
  return typeof part === 'string' ? part : Buffer.from(bytesOf(part)).toString('latin1');
}
