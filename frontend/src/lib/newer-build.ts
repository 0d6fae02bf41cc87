// Pages load their code on demand. After an update, a page that is already open requests files of a build that no
// longer exists.
const STORAGE_KEY = 'waybill.build';
const PATIENCE_MS = 5000;
const ENTRY = /<script[^>]*\stype="module"[^>]*\ssrc="([^"]+)"/;

/** Whether the server has a newer build than this page. Returns true once per build. */
export async function findNewerBuild(): Promise<boolean> {
  const own = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  try {
    const answer = await fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
    const entry = answer.ok ? ENTRY.exec(await answer.text())?.[1] : undefined;
    if (!own || !entry || entry === own) return false;
    // A cache may keep serving the old page, so do not reload in a loop.
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
