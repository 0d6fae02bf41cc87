// Writes a gzipped copy next to every text asset of the build, so that the gateway need not compress.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

const TEXT = /\.(?:css|html|js|json|map|svg|txt|webmanifest)$/;
const dist = new URL('../dist/', import.meta.url).pathname;
const files = await readdir(dist, { recursive: true, withFileTypes: true });

for (const file of files) {
  if (!file.isFile() || !TEXT.test(file.name)) continue;
  const path = join(file.parentPath, file.name);
  const packed = await promisify(gzip)(await readFile(path), { level: constants.Z_BEST_COMPRESSION });
  await writeFile(`${path}.gz`, packed);
}
