// Writes test/proto/golden.txt: the bytes of a sample of every message that is stored or sent between nodes, so that a
// changed encoding shows in review. Run it after a build.
import { writeFileSync } from 'node:fs';
import { goldenText } from '../dist/test/proto/golden-lines.js';

writeFileSync('test/proto/golden.txt', goldenText());
