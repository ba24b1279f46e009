import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blank, findMovie, readMovie } from '../../media/iso-media.js';
import type { Format } from '../../media/sniff.js';
import { excerptOf, probe } from '../../media/sounds-and-films.js';
import { withoutTags } from '../../media/tags.js';

const SECRET = 'recorded at home, 48.8577 north';
const text = (value: string) => Buffer.from(value, 'latin1');
const u32le = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const probed = async (bytes: Buffer, format: Format) => {
  const parts = excerptOf(bytes, format);
  return parts && probe(parts.excerpt);
};

// ---- Ogg

/** Computes the CRC by definition: bit by bit, polynomial 0x04c11db7 (RFC 3533 §6). */
function checksum(page: Buffer): number {
  let sum = 0;
  for (const byte of page) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  }
  return sum >>> 0;
}

const lacesOf = (length: number) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255];

/** Builds one page for each 255 laces of the packets; `begins`: the first page starts a stream. */
function pages(serial: number, begins: boolean, ...packets: readonly Buffer[]): Buffer {
  const laces = packets.flatMap(({ length }) => lacesOf(length));
  const bytes = Buffer.concat(packets);
  const made: Buffer[] = [];
  let at = 0;
  for (let first = 0; first < laces.length; first += 255) {
    const own = laces.slice(first, first + 255);
    const length = own.reduce((sum, lace) => sum + lace, 0);
    const head = Buffer.alloc(27);
    head.write('OggS');
    head[5] = (begins && first === 0 ? 2 : 0) | (first > 0 ? 1 : 0);
    head.writeUInt32LE(serial, 14);
    head[26] = own.length;
    const page = Buffer.concat([head, Buffer.from(own), bytes.subarray(at, at + length)]);
    page.writeUInt32LE(checksum(page), 22);
    made.push(page);
    at += length;
  }
  return Buffer.concat(made);
}

const comments = (...fields: readonly string[]) =>
  Buffer.concat([
    ...[u32le(SECRET.length), text(SECRET), u32le(fields.length)],
    ...fields.flatMap((field) => [u32le(field.length), text(field)]),
  ]);
const opusHead = Buffer.concat([text('OpusHead\x01\x01'), Buffer.alloc(2), u32le(48_000), Buffer.alloc(3)]);
const sound = Buffer.alloc(300, 7);

/** Asserts that every page of the file is complete and has the right checksum. Returns the bytes of all packets. */
function assertSumsUp(bytes: Buffer): Buffer {
  const packets: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    assert.equal(bytes.toString('latin1', at, at + 4), 'OggS');
    const laces = bytes[at + 26] ?? 0;
    const from = at + 27 + laces;
    const end = from + bytes.subarray(at + 27, from).reduce((sum, lace) => sum + lace, 0);
    const page = Buffer.from(bytes.subarray(at, end));
    const told = page.readUInt32LE(22);
    page.writeUInt32LE(0, 22);
    assert.equal(checksum(page), told);
    packets.push(bytes.subarray(from, end));
    at = end;
  }
  return Buffer.concat(packets);
}

test('comments of Ogg files are emptied, in pages with right checksums, and nothing moves', async () => {
  const cover = `METADATA_BLOCK_PICTURE=${SECRET.repeat(6_000)}`;
  const block = (type: number, content: Buffer) =>
    Buffer.concat([Buffer.from([type, 0, 0, content.length & 0xff]), content]);
  const files = {
    opus: [
      pages(1, true, opusHead),
      pages(1, false, Buffer.concat([text('OpusTags'), comments(`TITLE=${SECRET}`, cover)])),
      pages(1, false, sound, sound),
    ],
    vorbis: [
      pages(1, true, Buffer.concat([text('\x01vorbis'), Buffer.alloc(23, 1)])),
      pages(1, false, Buffer.concat([text('\x03vorbis'), comments(cover), Buffer.from([1])]), Buffer.alloc(900, 5)),
      pages(1, false, sound),
    ],
    flac: [
      pages(1, true, Buffer.concat([text('\x7fFLAC\x01\0\0\x02fLaC'), block(0, Buffer.alloc(34))])),
      pages(1, false, block(4, comments(`ARTIST=${SECRET}`)), block(0x86, text(SECRET))),
      pages(1, false, Buffer.concat([Buffer.from([0xff, 0xf8]), sound])),
    ],
    'chained and multiplexed': [
      ...[pages(1, true, opusHead), pages(2, true, Buffer.concat([text('Speex   '), Buffer.alloc(72)]))],
      pages(2, false, comments(`TITLE=${SECRET}`)),
      pages(1, false, Buffer.concat([text('OpusTags'), comments(`TITLE=${SECRET}`)])),
      ...[pages(1, false, sound), pages(3, true, opusHead)],
      pages(3, false, Buffer.concat([text('OpusTags'), comments(`TITLE=${SECRET}`)])),
    ],
  };
  for (const [name, parts] of Object.entries(files)) {
    const bytes = Buffer.concat(parts);
    const original = Buffer.from(bytes);
    const cleaned = withoutTags(bytes, 'ogg');
    assert.equal(cleaned?.length, original.length, name);
    const packets = assertSumsUp(cleaned);
    assert.ok(!packets.includes(SECRET) && packets.includes(sound.subarray(0, 200)), name);
    assert.deepEqual(cleaned.subarray(0, parts[0]?.length), original.subarray(0, parts[0]?.length), name);
  }
  const opus = withoutTags(Buffer.concat(files.opus), 'ogg') ?? Buffer.alloc(0);
  assert.equal((await probed(opus, 'ogg'))?.kind, 'audio');
});

test('no Ogg file takes long to clean, and one with endless comments is refused', () => {
  const endless = pages(1, true, opusHead, Buffer.concat([text('OpusTags'), Buffer.alloc(10_000_000, 1)]));
  assert.equal(withoutTags(endless, 'ogg'), undefined);
  const many = Buffer.concat(Array.from({ length: 20 }, (_, serial) => pages(serial, true, opusHead)));
  assert.equal(withoutTags(many, 'ogg'), undefined);
  const flac = Buffer.concat([text('\x7fFLAC\x01\0\0\x02fLaC'), Buffer.alloc(38)]);
  const blocks = pages(1, false, ...Array<Buffer>(250).fill(Buffer.from([4, 0, 0, 0])));
  const hostile = Buffer.concat([pages(1, true, flac), ...Array<Buffer>(8_000).fill(blocks)]);
  const tiny = Buffer.concat(Array<Buffer>(200_000).fill(pages(1, true, Buffer.alloc(1))));
  for (const bytes of [hostile, tiny]) {
    const before = process.cpuUsage();
    assert.ok(withoutTags(bytes, 'ogg'));
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 500_000, `${user + system} µs`);
  }
  for (let length = 0; length < 300; length++) withoutTags(Buffer.from(endless.subarray(0, length)), 'ogg');
});

// ---- WebM

const hex = (value: string) => Buffer.from(value, 'hex');
/** Builds an element with a size of eight bytes; of unknown size without content. */
const element = (id: string, ...content: readonly Buffer[]): Buffer => {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(Buffer.concat(content).length));
  size[0] = 1;
  return Buffer.concat([hex(id), size, ...content]);
};
const unsized = (id: string, ...content: readonly Buffer[]) =>
  Buffer.concat([hex(id), hex('01ffffffffffffff'), ...content]);
const EBML = element('1a45dfa3', element('4282', text('webm')));
const info = element(
  '1549a966',
  ...[element('bf', hex('01020304')), element('2ad7b1', hex('0f4240')), element('4489', hex('447a000000000000'))],
  ...['7ba9', '4d80', '5741', '7384'].map((id) => element(id, text(SECRET))),
  element('4461', hex('0123456789abcdef')),
);
const tracks = element(
  '1654ae6b',
  element(
    'ae',
    ...[element('d7', hex('01')), element('83', hex('01')), element('86', text('V_VP8'))],
    ...[element('536e', text(SECRET)), element('e0', element('b0', hex('0280')), element('ba', hex('01e0')))],
  ),
);
const tags = element('1254c367', element('7373', element('67c8', element('4487', text(SECRET)))));
const attachments = element('1941a469', element('61a7', element('465c', text(SECRET))));
const chapters = element('1043a770', element('45b9', text(SECRET)));
const block = element('a3', Buffer.concat([hex('81000080'), sound]));
const leftover = element('ec', text(SECRET));

test('tags, titles, chapters and attachments of WebM files are emptied, and nothing moves', async () => {
  const cluster = [element('e7', hex('00')), block, block];
  const files = {
    sized: [
      EBML,
      element('18538067', leftover, info, tracks, tags, element('1f43b675', ...cluster), attachments, chapters),
    ],
    live: [
      EBML,
      unsized('18538067', info, tracks, unsized('1f43b675', ...cluster), unsized('1f43b675', ...cluster), tags),
    ],
  };
  for (const [name, parts] of Object.entries(files)) {
    const original = Buffer.concat(parts);
    const cleaned = withoutTags(Buffer.from(original), 'webm') ?? Buffer.alloc(0);
    assert.equal(cleaned.length, original.length, name);
    assert.ok(!cleaned.includes(SECRET) && !cleaned.includes(hex('0123456789abcdef')), name);
    assert.equal(cleaned.indexOf(block), original.indexOf(block), name);
    assert.equal(cleaned.lastIndexOf(block), original.lastIndexOf(block), name);
    const read = await probed(cleaned, 'webm');
    assert.deepEqual([read?.kind, read?.width, read?.height], ['video', 640, 480], name);
  }
});

test('no WebM file takes long to clean, and other bytes are not changed', () => {
  let nested = text(SECRET);
  for (let depth = 0; depth < 9_000; depth++) nested = Buffer.concat([hex('ae'), hex('01ffffffffffffff'), nested]);
  const hostile = [
    unsized('18538067', nested),
    unsized('18538067', Buffer.concat(Array<Buffer>(500_000).fill(hex('ec80')))),
    unsized('18538067', unsized('1f43b675', Buffer.concat(Array<Buffer>(500_000).fill(hex('a380'))))),
    hex('1a45dfa301fffffffffffffe'),
    hex('0000'),
  ];
  for (const bytes of hostile) {
    const before = process.cpuUsage();
    withoutTags(bytes, 'webm');
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 500_000, `${user + system} µs`);
  }
  const whole = Buffer.concat([EBML, element('18538067', leftover, info, tracks, tags)]);
  for (let length = 0; length < whole.length; length++) {
    const cut = withoutTags(Buffer.from(whole.subarray(0, length)), 'webm');
    assert.equal(cut?.length, length);
    assert.ok(!cut.includes('home, 48.8577 north'), String(length));
  }
});

// ---- fragmented MP4

const box = (type: string, ...content: readonly Buffer[]) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + Buffer.concat(content).length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...content]);
};

test('private boxes are blanked in fragments and beside them, and nothing moves', () => {
  const fragment = [
    box('moof', box('mfhd', Buffer.alloc(8)), box('meta', text(SECRET)), box('traf', box('udta', text(SECRET)))),
    ...[box('emsg', text(SECRET)), box('prft', text(SECRET)), box('mdat', sound)],
  ];
  const film = Buffer.concat([
    ...[box('ftyp', text('iso5\0\0\0\0iso5')), box('free', text(SECRET)), box('thum', text(SECRET))],
    box('moov', box('trak', box('tkhd', Buffer.alloc(84))), box('free', text(SECRET))),
    ...[...fragment, ...fragment],
    box('skip', text(SECRET)),
  ]);
  const original = Buffer.from(film);
  const range = findMovie(film);
  const read = range && readMovie(film.subarray(range.from, range.to));
  for (const { from, to } of read?.private ?? [])
    blank(film, { from: (range?.from ?? 0) + from, to: (range?.from ?? 0) + to });
  assert.ok(read);
  assert.ok(original.includes(SECRET) && !film.includes(SECRET));
  assert.equal(film.lastIndexOf(sound), original.lastIndexOf(sound));
  const endless = box('moof', Buffer.concat(Array<Buffer>(60_001).fill(box('mfhd'))));
  assert.equal(findMovie(Buffer.concat([original, endless])), undefined);
});
