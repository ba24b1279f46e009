import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { cleanGif } from '../../media/gif.js';
import { blank, findMovie, readMovie } from '../../media/iso-media.js';
import { type Format, sniff } from '../../media/sniff.js';
import { excerptOf, probe } from '../../media/sounds-and-films.js';
import { afterId3, withoutTags } from '../../media/tags.js';
import { Turns } from '../../parsers/turns.js';

const box = (type: string, ...content: readonly Buffer[]) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + Buffer.concat(content).length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...content]);
};
/** Returns a track header (ISO/IEC 14496-12 §8.3.2) with this size; `turned` by a quarter. */
const trackHeader = (width: number, height: number, turned = false) => {
  const header = Buffer.alloc(84);
  const matrix = turned
    ? [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000]
    : [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
  for (const [index, value] of matrix.entries()) header.writeInt32BE(value, 40 + index * 4);
  header.writeUInt32BE(width * 65_536, 76);
  header.writeUInt32BE(height * 65_536, 80);
  return box('tkhd', header);
};
const film = (...tracks: readonly Buffer[]) =>
  Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\0\0isom')),
    box('moov', ...tracks.map((track) => box('trak', track)), box('udta', Buffer.from('+48.8577+002.295/'))),
    box('mdat', Buffer.from('pictures')),
  ]);
/** Reads a film's header through all steps, from the file to the stored result. */
const readFilm = (bytes: Buffer) => {
  const range = findMovie(bytes);
  const offset = range?.from ?? 0;
  const read = range && readMovie(bytes.subarray(range.from, range.to));
  for (const { from, to } of read?.private ?? []) blank(bytes, { from: offset + from, to: offset + to });
  return read && { width: read.width, height: read.height, framesPerS: read.framesPerS };
};
const wav = (seconds: number) => {
  const data = Buffer.alloc(8_000 * seconds);
  const head = Buffer.from(
    'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\x01\0\x08\0data\0\0\0\0',
    'latin1',
  );
  head.writeUInt32LE(36 + data.length, 4);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
};

test('formats are detected from the first bytes', () => {
  const kinds = (texts: readonly string[]) => texts.map((text) => sniff(Buffer.from(text, 'latin1')));
  assert.deepEqual(
    kinds([
      '\x89PNG\r\n\x1a\n',
      '\xff\xd8\xff\xe0',
      'GIF89a',
      'RIFF....WEBP',
      'RIFF....WAVE',
      'OggS',
      'fLaC',
      'ID3\x04',
      '\xff\xfb\x90\x00',
      '\xff\xf1\x50\x80',
      '\x1a\x45\xdf\xa3',
    ]),
    ['png', 'jpg', 'gif', 'webp', 'wav', 'ogg', 'flac', 'mp3', 'mp3', 'aac', 'webm'],
  );
  assert.deepEqual(
    kinds(['<svg>', '%PDF-1.7', 'push graphic-context', '#EXTM3U', '', '\xff']),
    Array(6).fill(undefined),
  );
  assert.equal(sniff(film()), 'mp4');
  assert.equal(sniff(box('ftyp', Buffer.from('heic\0\0\0\0mif1'))), undefined, 'nobody reads it here');
});

test('a film’s size is read as shown, and its place of recording is blanked without moving anything', () => {
  const bytes = film(trackHeader(0, 0), trackHeader(1920, 1080));
  const before = bytes.length;
  assert.deepEqual(readFilm(bytes), { width: 1920, height: 1080, framesPerS: 0 });
  assert.deepEqual(readFilm(film(trackHeader(1920, 1080, true))), { width: 1080, height: 1920, framesPerS: 0 });
  assert.equal(bytes.length, before);
  assert.ok(!bytes.includes('+48.8577') && !bytes.includes('udta') && bytes.includes('pictures'));
});

test('broken and endless boxes are not a film', () => {
  const bytes = film(trackHeader(4, 4));
  for (let length = 0; length < bytes.length - 16; length += 7)
    assert.equal(readFilm(bytes.subarray(0, length)), undefined, String(length));
  assert.equal(readFilm(Buffer.concat(Array.from({ length: 10_001 }, () => box('free')))), undefined);
});

const probeFile = async (bytes: Buffer, format: Format) => {
  const parts = excerptOf(bytes, format);
  return parts && probe(parts.excerpt);
};

test('a sound has its duration; bytes that only begin like one are refused', async () => {
  const probed = await probeFile(wav(3), 'wav');
  assert.deepEqual([probed?.kind, probed?.durationS, probed?.width], ['audio', 3, 0]);
  for (const format of ['mp3', 'ogg', 'flac', 'webm', 'mp4'] as const) {
    assert.equal(await probeFile(Buffer.from('nothing of the kind, whatever it is called'), format), undefined, format);
  }
});

test('a GIF keeps its pictures and its loop, and nothing else', async () => {
  const frames = await Promise.all(
    ['#f00', '#00f'].map((background) =>
      sharp({ create: { width: 8, height: 8, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const moving = await sharp(frames, { join: { animated: true } })
    .gif({ delay: [100, 100], loop: 3 })
    .toBuffer();
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, 6]), Buffer.from('secret'), Buffer.from([0])]);
  const paletteEnd = 13 + ((moving[10] ?? 0) & 0x80 ? 3 * 2 ** (((moving[10] ?? 0) & 7) + 1) : 0);
  const hiding = Buffer.concat([
    moving.subarray(0, paletteEnd),
    comment,
    moving.subarray(paletteEnd),
    Buffer.from('<script>'),
  ]);
  const cleaned = Buffer.from(cleanGif(hiding)?.bytes ?? []);
  assert.ok(!cleaned.includes('secret') && !cleaned.includes('<script>'));
  const { pages, loop } = await sharp(cleaned, { animated: true }).metadata();
  assert.deepEqual([pages, loop], [2, 3]);
  for (let length = 0; length < moving.length; length += 5)
    assert.equal(cleanGif(moving.subarray(0, length)), undefined, String(length));
});

test('a bounded number of jobs runs, a bounded number waits, more are refused', async () => {
  const turns = new Turns(1, 1);
  const ends: (() => void)[] = [];
  const work = () => turns.take(() => new Promise<void>((end) => void ends.push(end)));
  const [first, second] = [work(), work()];
  await assert.rejects(work(), { name: 'Unavailable' });
  ends[0]?.();
  await first;
  ends[1]?.();
  await second;
  assert.ok(turns.free);
});

test('tags of sounds are removed, and the sound stays as long as it was', async () => {
  const secret = Buffer.from('recorded at home');
  const listed = wav(2);
  const list = Buffer.concat([Buffer.from('LIST\x10\0\0\0', 'latin1'), secret]);
  const sound = Buffer.concat([listed.subarray(0, 36), list, listed.subarray(36)]);
  const cleaned = withoutTags(sound, 'wav') ?? Buffer.alloc(0);
  assert.ok(!cleaned.includes(secret) && !cleaned.includes('LIST'));
  assert.equal((await probeFile(cleaned, 'wav'))?.durationS, 2);
  const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
  const frames = Buffer.concat(Array(100).fill(frame));
  const id3 = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x10', 'latin1'), secret]);
  const id3v1 = Buffer.concat([Buffer.from('TAG'), secret, Buffer.alloc(125 - secret.length)]);
  const plain = withoutTags(afterId3(Buffer.concat([id3, frames, id3v1])), 'mp3');
  assert.deepEqual(plain, frames);
  const seconds = (await probeFile(frames, 'mp3'))?.durationS ?? 0;
  assert.ok(Math.abs(seconds - 2.6) < 0.05, String(seconds));
});

test('private boxes are blanked at any depth of a film’s header', () => {
  const hidden = box(
    'mdia',
    box('udta', Buffer.from('+48.8577+002.295/')),
    box('minf', box('meta', Buffer.from('camera'))),
  );
  const bytes = Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\0\0isom')),
    box('moov', box('trak', trackHeader(4, 4), hidden)),
  ]);
  assert.deepEqual(readFilm(bytes), { width: 4, height: 4, framesPerS: 0 });
  assert.ok(!bytes.includes('+48.8577') && !bytes.includes('camera') && !bytes.includes('udta'));
});

test('a GIF has the size that its header announces, or that its frames reach', async () => {
  const small = await sharp({ create: { width: 2, height: 2, channels: 3, background: '#f00' } })
    .gif()
    .toBuffer();
  const wide = Buffer.from(small);
  wide.writeUInt16LE(65_535, 6);
  assert.equal(cleanGif(wide)?.width, 65_535);
  const narrow = Buffer.from(small);
  narrow.writeUInt16LE(1, 6);
  assert.equal(cleanGif(narrow)?.width, 2);
});
