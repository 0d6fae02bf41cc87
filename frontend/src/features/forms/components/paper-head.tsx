import { useTranslation } from 'react-i18next';
import { statusLook } from '@/ui/statuses';
import type { Form } from '../queries';
import { PaperIssuer } from './paper-issuer';

/** Whose form it is, of which delivery, and what became of it. */
export function PaperHead({ form }: { form: Pick<Form, 'deliveryId' | 'status'> }) {
  const { t } = useTranslation(['forms', 'common']);
  const { icon: Icon } = statusLook({ kind: 'delivery', status: form.status });
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4 border-b border-fg pb-5">
      <PaperIssuer />
      <div className="ml-auto flex min-w-0 flex-col items-end gap-1 text-right @max-lg:ml-0 @max-lg:items-start @max-lg:text-left">
        <span className="text-xs text-muted">{t('title')}</span>
        <span className="text-[28px] leading-9 font-semibold wrap-anywhere">{form.deliveryId}</span>
        <span className="inline-flex items-center gap-1.5 rounded-full border border-fg px-2.5 text-xs leading-5 font-semibold whitespace-nowrap">
          <Icon aria-hidden className="size-3.5 shrink-0" />
          {t(`status.delivery.${form.status}`, { ns: 'common' })}
        </span>
      </div>
    </header>
  );
}
