import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatDateTime } from '@/lib/dates';
import { routes } from '@/routing/routes';
import { Panel, PanelHead } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import { Tag } from '@/ui/tag';
import type { Delivery } from '../delivery-queries';

interface FormVersionsProps {
  delivery: Pick<Delivery, 'id' | 'forms'>;
  timeZone: string;
}

/** Every version that was issued; a correction makes another one and old ones stay. */
export function FormVersions({ delivery, timeZone }: FormVersionsProps) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const { forms } = delivery;
  if (forms.length === 0) return null;
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('forms.title')} note={t('forms.count', { count: forms.length })} />
      <ul className="px-4 pb-3">
        {forms.map((form) => (
          <li
            key={form.formVersion}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2 text-sm first:border-t-0"
          >
            <Link
              to={routes.viewForm({ deliveryId: delivery.id, formVersion: form.formVersion })}
              className="font-medium text-accent hover:underline"
            >
              {t('forms.version', { version: form.formVersion })}
            </Link>
            <StatusChip kind="delivery" status={form.status} />
            {form.supersededBy !== null && (
              <Tag>{t('forms.superseded', { version: form.supersededBy })}</Tag>
            )}
            <span className="w-full text-xs text-muted tabular-nums">
              {t('view.byAt', { at: formatDateTime(form.issuedAt, timeZone), by: form.issuedBy })}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
