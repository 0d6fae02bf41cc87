import { downloadBlob } from './download-blob';

/** Saves text as a file, made in the browser. */
export function downloadText(filename: string, text: string, type = 'text/csv;charset=utf-8'): void {
  downloadBlob(filename, new Blob([text], { type }));
}
