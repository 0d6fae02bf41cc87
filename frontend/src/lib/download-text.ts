/** Saves text as a file, made in the browser. */
export function downloadText(filename: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  document.body.append(link);
  link.click();
  link.remove();
  // Safari still reads the address after the click returned.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
