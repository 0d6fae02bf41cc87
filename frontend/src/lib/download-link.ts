/** Saves what a link leads to. A name is used for links of this origin only. */
export function downloadLink(address: string, filename = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.rel = 'noreferrer';
  // The server of another origin may answer with a page of its own.
  if (link.origin !== window.location.origin) link.target = '_blank';
  document.body.append(link);
  link.click();
  link.remove();
}
