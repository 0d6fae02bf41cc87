import { downloadBlob } from './download-blob';

/** Saves text as a file. */
export function downloadText(filename: string, text: string, type = 'text/csv;charset=utf-8'): void {
  downloadBlob(filename, new Blob([text], { type }));
}
