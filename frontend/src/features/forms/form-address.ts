import { routes } from '@/routing/routes';
import type { Form } from './queries';

/** The address of one version of a form. */
export function formAddress({ deliveryId, formVersion }: Pick<Form, 'deliveryId' | 'formVersion'>): string {
  return `${window.location.origin}${routes.viewForm({ deliveryId, formVersion })}`;
}
