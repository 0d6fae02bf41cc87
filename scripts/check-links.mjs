// Checks every link between our own pages: it leads to a file and, if it names a heading, to that heading.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { files, read, root } from './sources.mjs';

const pages = files().filter((path) => path.endsWith('.md'));

/** Returns the anchor of a heading. */
function anchor(heading) {
  return heading
    .replace(/`|\*\*|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

const withoutCode = (text) => text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');

function anchors(path) {
  const plain = read(path).replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
  return new Set([...plain.matchAll(/^#{1,6}\s+(.+)$/gm)].map((match) => anchor(match[1])));
}

let failed = false;
function complain(path, link, why) {
  console.error(`${path}: ${link} ${why}`);
  failed = true;
}

for (const path of pages) {
  const text = withoutCode(read(path));
  const links = [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)].map((match) => match[1]);
  links.push(...[...text.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)].map((match) => match[1]));
  for (const link of links) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) continue;
    const [file, fragment] = link.split('#');
    const target = file ? normalize(join(dirname(path), decodeURIComponent(file))) : path;
    const absolute = join(root, target);
    if (target.startsWith('..') || !existsSync(absolute)) {
      complain(path, link, 'leads nowhere');
    } else if (fragment && statSync(absolute).isFile() && target.endsWith('.md') && !anchors(target).has(fragment)) {
      complain(path, link, 'names no heading there');
    }
  }
}
process.exit(failed ? 1 : 0);
