// Code is fetched when it is first needed. A page that was opened before the product was updated asks for
// files of a build that is gone.
const STORAGE_KEY = 'waybill.build';
const PATIENCE_MS = 5000;
const ENTRY = /<script[^>]*\stype="module"[^>]*\ssrc="([^"]+)"/;

/** Whether the server has another build than the one that runs here. Of each it is said only once. */
export async function findNewerBuild(): Promise<boolean> {
  const own = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  try {
    const answer = await fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
    const entry = answer.ok ? ENTRY.exec(await answer.text())?.[1] : undefined;
    if (!own || !entry || entry === own) return false;
    // Something between here and the server may hold on to the old page: reloading it for ever helps nobody.
    if (sessionStorage.getItem(STORAGE_KEY) === entry) return false;
    sessionStorage.setItem(STORAGE_KEY, entry);
    return true;
  } catch {
    return false;
  }
}

export function reloadPage(): void {
  window.location.reload();
}
