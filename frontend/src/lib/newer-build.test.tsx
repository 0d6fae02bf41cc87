import { beforeEach, describe, expect, it, vi } from 'vitest';
import { findNewerBuild, isOutdated } from './newer-build';

/** The server names this entry file, while the page that runs has `/assets/index-old.js`. */
function serve(entry: string) {
  const page = `<script src="/theme.js"></script><script type="module" crossorigin src="${entry}"></script>`;
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(page)));
}

describe('a newer build', () => {
  beforeEach(() => {
    sessionStorage.clear();
    document.head.innerHTML = '<script type="module" src="/assets/index-old.js"></script>';
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    return () => {
      vi.useRealTimers();
      document.head.innerHTML = '';
      sessionStorage.clear();
    };
  });

  it('allows another reload some seconds after the old build answered one', async () => {
    serve('/assets/index-new.js');
    expect(await findNewerBuild()).toBe(true);
    expect(await findNewerBuild()).toBe(false);
    vi.setSystemTime(4999);
    expect(await findNewerBuild()).toBe(false);
    vi.setSystemTime(5000);
    expect(await findNewerBuild()).toBe(true);
    expect(await findNewerBuild()).toBe(false);
  });

  it('allows five reloads, and again five for the next build', async () => {
    const reloads = async () => {
      let count = 0;
      for (let minute = 1; minute <= 10; minute++) {
        vi.setSystemTime(Date.now() + 60_000);
        if (await findNewerBuild()) count++;
      }
      return count;
    };
    serve('/assets/index-new.js');
    expect(await reloads()).toBe(5);
    serve('/assets/index-newest.js');
    expect(await reloads()).toBe(5);
  });

  it('allows a reload after one that the previous release recorded without its time', async () => {
    sessionStorage.setItem('waybill.build', '/assets/index-new.js');
    serve('/assets/index-new.js');
    expect(await findNewerBuild()).toBe(true);
  });

  it('can be asked for without using up a reload', async () => {
    serve('/assets/index-new.js');
    expect(await isOutdated()).toBe(true);
    expect(await isOutdated()).toBe(true);
    expect(await findNewerBuild()).toBe(true);
  });

  it('is none if the server has the build that runs', async () => {
    serve('/assets/index-old.js');
    expect(await findNewerBuild()).toBe(false);
    expect(sessionStorage.getItem('waybill.build')).toBeNull();
  });
});
