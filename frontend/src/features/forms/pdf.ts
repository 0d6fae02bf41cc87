import { fetchAuthorized, type WebActionContext } from '@/uploads/web-actions';
import type { Paper } from './paper';

interface Wanted {
  deliveryId: string;
  /** The newest when left out. */
  formVersion?: number;
  paper: Paper;
}

/** One form as PDF, made by the server. */
export async function fetchPdf(wanted: Wanted, context: WebActionContext): Promise<ArrayBuffer> {
  const { deliveryId, formVersion, paper } = wanted;
  const query = new URLSearchParams({
    ...(formVersion !== undefined && { formVersion: String(formVersion) }),
    paper,
  });
  const path = `/delivery-forms/${encodeURIComponent(deliveryId)}.pdf?${query}`;
  return (await fetchAuthorized(path, context)).arrayBuffer();
}

// What some file system takes for something else than a name.
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f\\/:*?"<>|]/g;

/** A document number as the name of a file, on any system. */
export function fileName(deliveryId: string, ...rest: string[]): string {
  const plain = deliveryId.replace(UNSAFE, '_').replace(/^\.+|[. ]+$/g, '_');
  return [plain || '_', ...rest].join('-');
}
