// Pages load their code on demand. After an update, a page that is already open requests files of a build that no
// longer exists.
const STORAGE_KEY = 'waybill.build';
const PATIENCE_MS = 5000;
/** While gateways are being replaced, the old build may answer a reload, so allow several for the same build. */
const MAX_RELOADS = 5;
/** A cache may keep serving the old page, so do not reload in a loop. */
const PAUSE_MS = 5000;
const ENTRY = /<script[^>]*\stype="module"[^>]*\ssrc="([^"]+)"/;

/** Returns the entry file of the server's build if that isn't the build of this page. */
async function findNewerEntry(): Promise<string | undefined> {
  const own = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  try {
    const answer = await fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
    const entry = answer.ok ? ENTRY.exec(await answer.text())?.[1] : undefined;
    return own && entry !== own ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the server has a newer build than this page. False if the server cannot be reached. */
export async function isOutdated(): Promise<boolean> {
  return (await findNewerEntry()) !== undefined;
}

/**
 * Whether to reload because the server has a newer build than this page. Returns true a few times per build, with a
 * pause of some seconds after each.
 */
export async function findNewerBuild(): Promise<boolean> {
  const entry = await findNewerEntry();
  return entry !== undefined && takeReload(entry);
}

/** Counts a reload for the build with this entry file. Returns false if it must not be made. */
function takeReload(entry: string): boolean {
  const [count, at, counted] = (sessionStorage.getItem(STORAGE_KEY) ?? '').split(' ');
  const reloads = counted === entry ? Number(count) : 0;
  if (reloads >= MAX_RELOADS) return false;
  if (reloads > 0 && Date.now() - Number(at) < PAUSE_MS) return false;
  sessionStorage.setItem(STORAGE_KEY, `${reloads + 1} ${Date.now()} ${entry}`);
  return true;
}

export function reloadPage(): void {
  window.location.reload();
}
