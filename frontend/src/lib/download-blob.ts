/** Saves a blob as a file. */
export function downloadBlob(filename: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  document.body.append(link);
  link.click();
  link.remove();
  // Revoke the URL later, because Safari reads it only after the click handler has returned.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
