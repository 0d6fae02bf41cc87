/** Time for the answer, in milliseconds, after the browser has handed the whole file to the network, which buffers it. */
export const ANSWER_MS = 120_000;

const UPLOAD_FAILED = 'Upload failed. Something went wrong';

export interface UploadedFile {
  ok: true;
  data: { url: string; filename: string };
}

interface PutFileOptions {
  /** Called with a fraction from 0 to 1. */
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
}

/** Returns the URL of a signed link without its signature. */
export function withoutQuery(link: string): string {
  return link.split(/[?#]/, 1)[0] ?? link;
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/**
 * Uploads a file to a signed link; only status 200 is success. Uses XMLHttpRequest, since fetch does not report upload
 * progress.
 */
export function putFile(
  link: string,
  file: File,
  { onProgress, signal }: PutFileOptions = {},
): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(new DOMException('The upload was canceled', 'AbortError'));
    if (signal?.aborted) {
      aborted();
      return;
    }
    const request = new XMLHttpRequest();
    const cancel = () => request.abort();
    const fail = () => reject(new Error(UPLOAD_FAILED));
    let limit: ReturnType<typeof setTimeout> | undefined;
    request.open('PUT', link);
    request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress?.(loaded / total);
    });
    request.upload.addEventListener('load', () => {
      limit = setTimeout(() => {
        fail();
        request.abort();
      }, ANSWER_MS);
    });
    request.addEventListener('load', () => {
      if (request.status !== 200) fail();
      else resolve({ ok: true, data: { url: withoutQuery(link), filename: file.name } });
    });
    request.addEventListener('error', fail);
    request.addEventListener('timeout', fail);
    request.addEventListener('abort', aborted);
    request.addEventListener('loadend', () => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', cancel);
    });
    signal?.addEventListener('abort', cancel, { once: true });
    request.send(file);
  });
}
