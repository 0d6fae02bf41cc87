// Reads deploy/Dockerfile, as far as the tests need it.
import { read } from '../../scripts/sources.mjs';

/** Returns the stages by name, the last one as `last`. Each stage has its lines as [instruction, rest]. */
export function stages() {
  const lines = read('deploy/Dockerfile').replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '').split('\n').filter(Boolean);
  const found = {};
  for (const line of lines) {
    const [, word, rest] = line.match(/^([A-Z]+) (.*)$/);
    if (word === 'FROM') found[rest.match(/ AS (\w+)$/)?.[1] ?? 'last'] = [];
    Object.values(found).at(-1).push([word, rest]);
  }
  return found;
}

/** Returns the arguments of each occurrence of an instruction in a stage. */
export const said = (stage, word) => stage.filter(([it]) => it === word).map(([, rest]) => rest);

/** Returns the environment of every container of the image. */
export function imageEnvironment() {
  return Object.fromEntries(said(stages().last, 'ENV').flatMap((text) => text.split(/\s+/)).map((it) => it.split('=')));
}
