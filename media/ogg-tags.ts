/** Maximum number of pages that are searched: a file has one for each second or each 4 kB. */
const PAGES_MAX = 10_000;
/** Maximum number of streams: sound, film, subtitles; more is an attack. */
const STREAMS_MAX = 16;
/** Maximum size of all comments of a file: covers of some megabytes fit, and their checksums take some 20 ms. */
const COMMENT_BYTES_MAX = 8 * 1_048_576;
/** Maximum number of packets at the start of FLAC, one for each block; a file has some. */
const HEADER_PACKETS_MAX = 100;
const HEAD_BYTES = 27;
const CHECKSUM_AT = 22;
const BEGINS_STREAM = 2;

/** A part of a packet within one page. */
interface Piece {
  readonly page: number;
  readonly from: number;
  readonly to: number;
}

/** Bytes of headers that may still be read. */
interface Budget {
  left: number;
}

/** One stream of packets that is being read from the pages. */
interface Stream {
  /** Number of the next packet. */
  packet: number;
  /** The first bytes of the first packet, which name the codec. */
  codec: string;
  pieces: Piece[];
  /** True once no further packet can contain comments. */
  isPastHeaders: boolean;
}

/**
 * Empties, in place, comments and pictures of an Ogg file (RFC 3533): those of Vorbis, Opus (RFC 7845 §5.2), FLAC, Theora
 * and Speex. Nothing moves; pages that change get a new checksum. Undefined: too many streams, or comments too large.
 */
export function withoutComments(bytes: Buffer): Buffer | undefined {
  const streams = new Map<number, Stream>();
  const budget = { left: COMMENT_BYTES_MAX };
  let at = 0;
  for (let pages = 0; pages < PAGES_MAX && isPage(bytes, at); pages++) {
    const serial = bytes.readUInt32LE(at + 14);
    if (((bytes[at + 5] ?? 0) & BEGINS_STREAM) !== 0) {
      if (streams.size >= STREAMS_MAX) return undefined;
      streams.set(serial, { packet: 0, codec: '', pieces: [], isPastHeaders: false });
    }
    const end = readPage(bytes, at, streams.get(serial), budget);
    if (end === undefined) return undefined;
    at = end;
  }
  return bytes;
}

const isPage = (bytes: Buffer, at: number): boolean =>
  at + HEAD_BYTES <= bytes.length && bytes.toString('latin1', at, at + 4) === 'OggS';

/** Reads a page; returns the offset of its end. Undefined: the comments are too large. */
function readPage(bytes: Buffer, page: number, stream: Stream | undefined, budget: Budget): number | undefined {
  const laces = bytes[page + 26] ?? 0;
  let from = page + HEAD_BYTES + laces;
  let to = from;
  for (let lace = 0; lace < laces; lace++) {
    const length = bytes[page + HEAD_BYTES + lace] ?? 0;
    to += length;
    const isEnd = length < 255;
    if (!isEnd && lace < laces - 1) continue;
    if (stream !== undefined && !stream.isPastHeaders) {
      budget.left -= to - from;
      if (budget.left < 0) return undefined;
      readPiece(bytes, stream, { page, from, to }, isEnd);
    }
    from = to;
  }
  return to;
}

function readPiece(bytes: Buffer, stream: Stream, piece: Piece, isEnd: boolean): void {
  if (stream.packet === 0 && stream.pieces.length === 0)
    stream.codec = bytes.toString('latin1', piece.from, Math.min(piece.to, piece.from + 8));
  stream.pieces.push(piece);
  if (!isEnd) return;
  if (stream.packet > 0) emptyPacket(bytes, stream);
  stream.isPastHeaders ||= stream.packet >= (isFlac(stream) ? HEADER_PACKETS_MAX : 1);
  stream.packet++;
  stream.pieces = [];
}

const isFlac = ({ codec }: Stream): boolean => codec.startsWith('\x7fFLAC');

function emptyPacket(bytes: Buffer, stream: Stream): void {
  const packet = Buffer.concat(stream.pieces.map(({ from, to }) => bytes.subarray(from, to)));
  if (isFlac(stream)) {
    // A frame begins with fourteen set bits; header packets are blocks as in a file.
    if ((packet[0] ?? 0) === 0xff) stream.isPastHeaders = true;
    else if (!emptyBlock(packet)) return;
  } else if (!emptyComment(packet, stream.codec)) return;
  let done = 0;
  for (const { from, to } of stream.pieces) {
    packet.copy(bytes, from, done, done + to - from);
    done += to - from;
  }
  for (const page of new Set(stream.pieces.map((piece) => piece.page))) sumUp(bytes, page);
}

const FLAC_PADDING = 1;
const FLAC_COMMENT = 4;
/** APPLICATION, CUESHEET, PICTURE. */
const FLAC_PRIVATE = new Set([2, 5, 6]);

/** Empties a block; returns false if the block stays. */
function emptyBlock(packet: Buffer): boolean {
  const head = packet[0] ?? 0;
  const type = head & 0x7f;
  if (type !== FLAC_COMMENT && !FLAC_PRIVATE.has(type)) return false;
  // The comment block is mandatory; an empty one has no vendor and no field.
  if (type !== FLAC_COMMENT) packet[0] = (head & 0x80) | FLAC_PADDING;
  packet.fill(0, 4);
  return true;
}

/** Bytes before the comment, by codec. */
const MARKS = ['OpusTags', '\x03vorbis', '\x81theora'] as const;

/** Empties a comment: no vendor, no field, then zeros. Returns false if there is no comment. */
function emptyComment(packet: Buffer, codec: string): boolean {
  const mark = MARKS.find((one) => packet.toString('latin1', 0, one.length) === one);
  if (mark === undefined && codec !== 'Speex   ') return false;
  const from = mark?.length ?? 0;
  packet.fill(0, from);
  // The framing bit of Vorbis follows the two empty lists.
  if (mark === '\x03vorbis' && packet.length > from + 8) packet[from + 8] = 1;
  return true;
}

/** CRC table by byte; polynomial 0x04c11db7, most significant bit first (RFC 3533 §6). */
const SUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum < 0 ? 0x04c11db7 : 0);
  return sum >>> 0;
});

function sumUp(bytes: Buffer, page: number): void {
  const laces = bytes[page + 26] ?? 0;
  let end = page + HEAD_BYTES + laces;
  for (let lace = 0; lace < laces; lace++) end += bytes[page + HEAD_BYTES + lace] ?? 0;
  bytes.writeUInt32LE(0, page + CHECKSUM_AT);
  let sum = 0;
  for (let at = page; at < Math.min(end, bytes.length); at++)
    sum = (sum << 8) ^ (SUMS[((sum >>> 24) ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  bytes.writeUInt32LE(sum >>> 0, page + CHECKSUM_AT);
}
