import { fetchAuthorized, type WebActionContext } from '@/uploads/web-actions';
import type { Paper } from './paper';
import type { Part } from './parts';

interface Wanted {
  deliveryId: string;
  /** The newest when left out. */
  formVersion?: number;
  paper: Paper;
  without?: readonly Part[];
}

/** One form as PDF, made by the server. */
export async function fetchPdf(wanted: Wanted, context: WebActionContext): Promise<ArrayBuffer> {
  const { deliveryId, formVersion, paper, without = [] } = wanted;
  const query = new URLSearchParams({
    ...(formVersion !== undefined && { formVersion: String(formVersion) }),
    paper,
    ...(without.length > 0 && { without: without.join(',') }),
  });
  const path = `/delivery-forms/${encodeURIComponent(deliveryId)}.pdf?${query}`;
  return (await fetchAuthorized(path, context)).arrayBuffer();
}
