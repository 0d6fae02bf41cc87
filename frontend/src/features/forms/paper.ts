import * as v from 'valibot';
import { readStored, writeStored } from '@/lib/stored-json';

export const PAPERS = ['a4', 'letter'] as const;
export type Paper = (typeof PAPERS)[number];

const KEY = 'waybill.paper';

/** The paper of this office's printers, as somebody chose it last. */
export function storedPaper(): Paper {
  return readStored(KEY, (value) => v.parse(v.picklist(PAPERS), value), 'a4');
}

export function storePaper(paper: Paper): void {
  writeStored(KEY, paper);
}
