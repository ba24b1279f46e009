import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A file that is crafted to harm its parser. */
export interface HostileUpload {
  readonly name: string;
  readonly bytes: Buffer;
  /** True when it may be stored after cleaning: the harm was in dropped parts, or in the way of reading. */
  readonly mayPass?: true;
}

const ascii = (text: string) => Buffer.from(text, 'latin1');
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const u32le = (value: number) => u32(value).reverse();
const repeated = (times: number, ...pieces: readonly Buffer[]) => {
  const piece = Buffer.concat(pieces);
  return Buffer.alloc(piece.length * times, piece);
};

const PNG_SIGNATURE = ascii('\x89PNG\r\n\x1a\n');
export const pngChunk = (type: string, content: Buffer = Buffer.alloc(0)) => {
  const named = Buffer.concat([ascii(type), content]);
  return Buffer.concat([u32(content.length), named, u32(crc32(named))]);
};
const pngHead = (width: number, height: number, bits = 8, interlaced = false) =>
  pngChunk('IHDR', Buffer.concat([u32(width), u32(height), Buffer.from([bits, 2, 0, 0, interlaced ? 1 : 0])]));
const pixels8 = deflateSync(Buffer.alloc(8 * 25));
const png = (...extras: readonly Buffer[]) =>
  Buffer.concat([PNG_SIGNATURE, pngHead(8, 8), ...extras, pngChunk('IDAT', pixels8), pngChunk('IEND')]);
/** Returns a text chunk that unpacks to 8 MB. */
const packedText = () => pngChunk('zTXt', Buffer.concat([ascii('k\0\0'), deflateSync(Buffer.alloc(8 * 2 ** 20, 'a'))]));

function pngs(): HostileUpload[] {
  const text = packedText();
  const frame = (sequence: number) => [
    pngChunk('fcTL', Buffer.concat([u32(sequence), u32(8), u32(8), Buffer.alloc(14)])),
    pngChunk('fdAT', Buffer.concat([u32(sequence + 1), pixels8])),
  ];
  const frames = Array.from({ length: 4_000 }, (_, index) => frame(index * 2)).flat();
  const profile = Buffer.concat([ascii('p\0\0'), deflateSync(Buffer.alloc(50 * 2 ** 20))]);
  const bytes = [...pixels8].map((byte) => pngChunk('IDAT', Buffer.from([byte])));
  return [
    { name: 'PNG with 60 texts that unpack to 8 MB', bytes: png(...Array(60).fill(text)), mayPass: true },
    { name: 'PNG with 200 texts that unpack to 8 MB', bytes: png(...Array(200).fill(text)), mayPass: true },
    { name: 'PNG with 200,000 chunks of nothing', bytes: png(repeated(200_000, pngChunk('tEXt', ascii('a\0')))) },
    { name: 'PNG with 200,000 empty pieces', bytes: png(repeated(200_000, pngChunk('IDAT'))) },
    { name: 'PNG in pieces of a byte', bytes: Buffer.concat([PNG_SIGNATURE, pngHead(8, 8), ...bytes]) },
    {
      name: 'PNG of 50,000 by 50,000',
      bytes: Buffer.concat([PNG_SIGNATURE, pngHead(50_000, 50_000), png().subarray(33)]),
    },
    {
      name: 'PNG of 33 megapixels of 16 bits, interlaced, without them',
      bytes: Buffer.concat([PNG_SIGNATURE, pngHead(7_680, 4_320, 16, true), png().subarray(33)]),
    },
    { name: 'PNG with a colour profile of 50 MB', bytes: png(pngChunk('iCCP', profile)), mayPass: true },
    { name: 'PNG with 4,000 frames', bytes: png(pngChunk('acTL', Buffer.alloc(8)), ...frames), mayPass: true },
    { name: 'PNG with a chunk of 4 GB', bytes: png(Buffer.concat([u32(0xffff_fff0), ascii('tEXt')])) },
  ];
}

const gifHead = (width: number, height: number) => {
  const head = Buffer.concat([ascii('GIF89a'), Buffer.from([0, 0, 0, 0, 0x80, 0, 0]), Buffer.alloc(6)]);
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  return head;
};
const gifFrame = (width = 1, height = 1) => {
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0x4c, 1, 0]);
  frame.writeUInt16LE(width, 5);
  frame.writeUInt16LE(height, 7);
  return frame;
};
const gif = (width: number, height: number, ...frames: readonly Buffer[]) =>
  Buffer.concat([gifHead(width, height), ...frames, Buffer.from([0x3b])]);

function gifs(): HostileUpload[] {
  const pieces = Buffer.concat([
    Buffer.from([0x21, 0xfe]),
    repeated(3_000_000, Buffer.from([1, 0x20])),
    Buffer.from([0]),
  ]);
  return [
    { name: 'GIF with a screen of 65,535 by 65,535', bytes: gif(65_535, 65_535, gifFrame()) },
    { name: 'GIF of 4,000 by 4,000 with 10,000 frames', bytes: gif(4_000, 4_000, repeated(10_000, gifFrame())) },
    { name: 'GIF with a frame larger than its screen', bytes: gif(1, 1, gifFrame(65_535, 65_535)) },
    { name: 'GIF with a comment of 3,000,000 pieces', bytes: gif(1, 1, pieces, gifFrame()), mayPass: true },
    {
      name: 'GIF with 1,000,000 empty comments',
      bytes: gif(1, 1, repeated(1_000_000, Buffer.from([0x21, 0xfe, 0])), gifFrame()),
      mayPass: true,
    },
    { name: 'GIF without an end', bytes: Buffer.concat([gifHead(8, 8), repeated(900_000, gifFrame())]) },
  ];
}

async function photographs(): Promise<HostileUpload[]> {
  const create = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#468' } });
  const jpeg = await create(64, 64).jpeg().toBuffer();
  const progressive = await create(3_000, 3_000).jpeg({ progressive: true }).toBuffer();
  const lastScan = progressive.subarray(progressive.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
  const segment = (marker: number, content: Buffer) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(content.length + 2, 2);
    return Buffer.concat([head, content]);
  };
  const withSegments = (...segments: readonly Buffer[]) =>
    Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
  const huge = Buffer.from(jpeg);
  const size = huge.indexOf(Buffer.from([0xff, 0xc0])) + 5;
  huge.writeUInt16BE(65_500, size);
  huge.writeUInt16BE(65_500, size + 2);
  const webp = await create(64, 64).webp().toBuffer();
  const avif = await create(64, 64).avif({ effort: 0 }).toBuffer();
  const grown = Buffer.from(avif);
  const at = grown.indexOf('ispe') + 8;
  grown.writeUInt32BE(30_000, at);
  grown.writeUInt32BE(30_000, at + 4);
  // An EXIF directory that names itself as the next one.
  const loop = Buffer.concat([ascii('Exif\0\0MM\0*'), u32(8), Buffer.from([0, 0]), u32(8)]);
  return [
    {
      name: 'JPEG with 200 comments of 64 kB',
      bytes: withSegments(...Array(200).fill(segment(0xfe, Buffer.alloc(65_000, 'x')))),
      mayPass: true,
    },
    {
      name: 'JPEG with 1,000,000 empty segments',
      bytes: withSegments(repeated(1_000_000, segment(0xe5, Buffer.alloc(0)))),
      mayPass: true,
    },
    { name: 'JPEG with an endless EXIF directory', bytes: withSegments(segment(0xe1, loop)), mayPass: true },
    { name: 'JPEG of 65,500 by 65,500', bytes: huge },
    {
      name: 'JPEG with 3,000 scans of 9 megapixels',
      bytes: Buffer.concat([progressive.subarray(0, -2), repeated(3_000, lastScan), Buffer.from([0xff, 0xd9])]),
      mayPass: true,
    },
    {
      name: 'WebP with 500,000 chunks',
      bytes: riff('WEBP', webp.subarray(12), repeated(500_000, ascii('JUNK'), u32le(0))),
      mayPass: true,
    },
    { name: 'WebP of 16,383 by 16,383 with 1,000 frames', bytes: movingWebp(webp) },
    { name: 'AVIF that calls itself 30,000 by 30,000', bytes: grown },
    { name: 'AVIF cut off', bytes: avif.subarray(0, avif.length - 40) },
  ];
}

function riff(kind: string, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat([ascii(kind), ...parts]);
  return Buffer.concat([ascii('RIFF'), u32le(content.length), content]);
}

function movingWebp(still: Buffer): Buffer {
  const part = (type: string, content: Buffer) => Buffer.concat([ascii(type), u32le(content.length), content]);
  const wide = Buffer.from([0xfe, 0x3f, 0]);
  const frame = part(
    'ANMF',
    Buffer.concat([Buffer.alloc(6), Buffer.from([63, 0, 0, 63, 0, 0, 1, 0, 0, 0]), still.subarray(12)]),
  );
  const canvas = part('VP8X', Buffer.concat([Buffer.from([2, 0, 0, 0]), wide, wide]));
  return riff('WEBP', canvas, part('ANIM', Buffer.alloc(6)), repeated(1_000, frame));
}

function sounds(): HostileUpload[] {
  const id3 = Buffer.concat([ascii('ID3\x04\0\0'), Buffer.alloc(4)]);
  const format = Buffer.from('666d7420100000000100010040 1f0000401f000001000800'.replace(' ', ''), 'hex');
  const opus = Buffer.concat([
    ascii('OggS\0\x02'),
    Buffer.alloc(20),
    Buffer.from([1, 19]),
    ascii('OpusHead\x01\x01'),
    Buffer.alloc(9),
  ]);
  const page = Buffer.concat([ascii('OggS\0\0'), Buffer.alloc(21)]);
  const ape = Buffer.concat([ascii('APETAGEX'), u32le(2_000), u32le(32), Buffer.alloc(16)]);
  const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
  return [
    { name: 'MP3 of sync words', bytes: repeated(1_048_576, Buffer.from([0xff, 0xfb])), mayPass: true },
    {
      name: 'MP3 of false frames',
      bytes: repeated(300_000, Buffer.from([0xff, 0xfb, 0x90, 0x64, 0xff, 0xff, 0xfb])),
      mayPass: true,
    },
    { name: 'MP3 with 200,000 ID3 tags', bytes: Buffer.concat([repeated(200_000, id3), frame]), mayPass: true },
    {
      name: 'MP3 with 50,000 APE tags',
      bytes: Buffer.concat([repeated(100, frame), repeated(50_000, ape)]),
      mayPass: true,
    },
    {
      name: 'AAC of empty frames',
      bytes: repeated(300_000, Buffer.from([0xff, 0xf1, 0x50, 0x80, 0, 0xff, 0xfc])),
      mayPass: true,
    },
    { name: 'AAC of sync words', bytes: repeated(1_000_000, Buffer.from([0xff, 0xf1])), mayPass: true },
    {
      name: 'FLAC of empty blocks',
      bytes: Buffer.concat([ascii('fLaC'), repeated(500_000, Buffer.from([1, 0, 0, 0]))]),
    },
    {
      name: 'FLAC with a block past its end',
      bytes: Buffer.concat([ascii('fLaC'), Buffer.from([4, 0xff, 0xff, 0xff]), Buffer.alloc(99)]),
    },
    { name: 'WAV of empty chunks', bytes: riff('WAVE', format, repeated(300_000, ascii('abcd'), u32le(0))) },
    {
      name: 'WAV of empty lists',
      bytes: riff('WAVE', format, repeated(300_000, ascii('LIST'), u32le(4), ascii('INFO'))),
    },
    { name: 'Ogg of empty pages', bytes: Buffer.concat([opus, repeated(100_000, page)]), mayPass: true },
    { name: 'Ogg of streams', bytes: repeated(40_000, opus), mayPass: true },
  ];
}

const ebml = (id: string, content: Buffer) =>
  Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([1, 0, 0, 0]), u32(content.length), content]);
const EBML_HEAD = Buffer.from('1a45dfa3874282847765626d', 'hex');
const ENDLESS_SEGMENT = Buffer.from('1853806701ffffffffffffff', 'hex');

function matroska(): HostileUpload[] {
  const webm = (...parts: readonly Buffer[]) => Buffer.concat([EBML_HEAD, ENDLESS_SEGMENT, ...parts]);
  const seek = ebml('4dbb', Buffer.concat([ebml('53ab', Buffer.from('114d9b74', 'hex')), ebml('53ac', u32(0))]));
  let nested = Buffer.alloc(0);
  for (let depth = 0; depth < 3_000; depth++) nested = ebml('b6', nested);
  return [
    { name: 'WebM of Void elements', bytes: webm(repeated(500_000, Buffer.from([0xec, 0x80]))), mayPass: true },
    { name: 'WebM of clusters', bytes: webm(repeated(200_000, Buffer.from('1f43b67580', 'hex'))), mayPass: true },
    { name: 'WebM whose index names itself', bytes: webm(repeated(5_000, ebml('114d9b74', seek))), mayPass: true },
    { name: 'WebM with 3,000 elements in each other', bytes: webm(ebml('1043a770', nested)), mayPass: true },
    {
      name: 'WebM with an element of 2^56 bytes',
      bytes: webm(Buffer.from('1654ae6b01fffffffffffffe', 'hex')),
      mayPass: true,
    },
  ];
}

export const isoBox = (type: string, ...content: readonly Buffer[]) => {
  const inside = Buffer.concat(content);
  return Buffer.concat([u32(8 + inside.length), ascii(type), inside]);
};
const FILE_TYPE = isoBox('ftyp', ascii('isom\0\0\0\0isom'));

function films(): HostileUpload[] {
  const film = (...boxes: readonly Buffer[]) => Buffer.concat([FILE_TYPE, ...boxes]);
  const nestedIn = (type: string, times: number) => {
    const head = Array.from({ length: times }, (_, index) => Buffer.concat([u32((times - index) * 8), ascii(type)]));
    return Buffer.concat(head);
  };
  const times = isoBox('stts', Buffer.alloc(4), u32(0xffff_ffff), Buffer.alloc(800_000));
  const track = isoBox('trak', isoBox('mdia', isoBox('mdhd', Buffer.alloc(24)), isoBox('minf', isoBox('stbl', times))));
  return [
    { name: 'MP4 of 200,000 free boxes', bytes: film(repeated(200_000, isoBox('free'))) },
    { name: 'MP4 with 100,000 tracks', bytes: film(isoBox('moov', repeated(100_000, isoBox('trak')))) },
    { name: 'MP4 with 9,000 tracks in each other', bytes: film(isoBox('moov', nestedIn('trak', 9_000))) },
    { name: 'MP4 with 5,000 headers', bytes: film(repeated(5_000, isoBox('moov', isoBox('trak')))) },
    { name: 'MP4 whose table has 4 billion entries', bytes: film(isoBox('moov', track)), mayPass: true },
    { name: 'MP4 with boxes past its end', bytes: film(isoBox('moov', u32(0x7fff_ffff), ascii('trak'))) },
    { name: 'MP4 with a box of 2^63 bytes', bytes: film(u32(1), ascii('moov'), u32(0x7fff_ffff), u32(0xffff_ffff)) },
    {
      name: 'MP4 with a header of 9 MB',
      bytes: film(isoBox('moov', isoBox('trak'), isoBox('free', Buffer.alloc(9 * 2 ** 20)))),
    },
    {
      name: 'MP4 of private boxes',
      bytes: film(isoBox('moov', isoBox('trak', repeated(9_000, isoBox('udta'))))),
      mayPass: true,
    },
  ];
}

/** Returns files of several formats at once: programs disagree about their format. */
async function polyglots(): Promise<HostileUpload[]> {
  const jpeg = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer();
  const page = ascii('<script>alert(1)</script>'.repeat(1_000));
  return [
    { name: 'JPEG that goes on as a page', bytes: Buffer.concat([jpeg, page]), mayPass: true },
    { name: 'GIF that goes on as a script', bytes: Buffer.concat([gif(1, 1, gifFrame()), page]), mayPass: true },
    { name: 'PNG that goes on as a film', bytes: Buffer.concat([png(), FILE_TYPE, isoBox('moov')]), mayPass: true },
    { name: 'ID3 tag before a PNG', bytes: Buffer.concat([ascii('ID3\x04\0\0\0\0\0\0'), png()]), mayPass: true },
    { name: 'film that is a JPEG behind its type', bytes: Buffer.concat([FILE_TYPE, jpeg]) },
  ];
}

/** Returns all known files that slow down a parser or fill its memory. */
export async function hostileUploads(): Promise<readonly HostileUpload[]> {
  const [shot, mixed] = await Promise.all([photographs(), polyglots()]);
  return [...pngs(), ...gifs(), ...shot, ...sounds(), ...matroska(), ...films(), ...mixed];
}
