import { routes } from '@/routing/routes';
import type { Form } from './queries';

type Named = Pick<Form, 'deliveryId' | 'formVersion' | 'verificationCode'>;

/** The address of one version of a form; with its code the page says whether that matches. */
export function formAddress(form: Named, withCode: boolean): string {
  const { deliveryId, formVersion, verificationCode } = form;
  const path = routes.viewForm({
    deliveryId,
    formVersion,
    ...(withCode && { code: verificationCode }),
  });
  return `${window.location.origin}${path}`;
}
