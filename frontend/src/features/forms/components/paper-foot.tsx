import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/dates';
import { formAddress } from '../form-address';
import type { Form } from '../queries';

const QrCode = lazy(() => import('./qr-code'));

/** How whoever holds the paper can tell that it is what was issued. */
export function PaperFoot({ form, timeZone }: { form: Form; timeZone: string }) {
  const { t } = useTranslation('forms');
  const { verificationCode, formVersion, issuedAt, issuedBy } = form;
  return (
    <footer className="mt-auto flex break-inside-avoid items-center gap-4 border-t border-fg pt-3">
      <div data-qr className="size-24 shrink-0">
        <Suspense fallback={<span data-loading />}>
          <QrCode text={formAddress(form, true)} label={t('foot.qr')} />
        </Suspense>
      </div>
      <div className="min-w-0 text-xs leading-5">
        <p>{t('foot.check')}</p>
        <p>
          {t('foot.code')} <strong className="font-semibold tabular-nums">{verificationCode}</strong>
        </p>
        <p className="wrap-anywhere">
          {t('foot.issued', {
            version: formVersion,
            at: formatDateTime(issuedAt, timeZone),
            by: issuedBy,
          })}
        </p>
        <p className="font-mono text-caps break-all text-muted">
          {t('foot.hash', { hash: form.contentHash })}
        </p>
      </div>
    </footer>
  );
}
