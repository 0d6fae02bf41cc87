import { downloadLink } from './download-link';

/** Saves a blob as a file. */
export function downloadBlob(filename: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  downloadLink(address, filename);
  // Revoke the URL later, because Safari reads it only after the click handler has returned.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
