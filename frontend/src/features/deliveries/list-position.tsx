import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { formatCount } from '@/lib/numbers';
import { type ListOrigin, readListOrigin, toLocationState } from '@/list/list-origin';
import { routes } from '@/routing/routes';
import { DELIVERIES } from './queries';

/** '4 of 71' through the page of the list this delivery was opened from. */
export function ListPosition({ id }: { id: string }) {
  const { t } = useTranslation('deliveries');
  const { state } = useLocation();
  const origin = readListOrigin(state, DELIVERIES);
  const index = origin?.ids.indexOf(id) ?? -1;
  if (!origin || index < 0) return null;
  const total = `${formatCount(origin.total)}${origin.exact ? '' : '+'}`;
  return (
    <nav aria-label={t('view.pages')} className="flex items-center gap-1">
      <Step
        icon={ChevronLeft}
        label={t('view.previous')}
        id={origin.ids[index - 1]}
        origin={origin}
      />
      <Link
        to={`${routes.deliveries()}${origin.search}`}
        className="rounded-box px-1 text-sm text-muted tabular-nums hover:text-fg hover:underline"
      >
        {t('view.position', { position: formatCount(origin.offset + index + 1), total })}
      </Link>
      <Step icon={ChevronRight} label={t('view.next')} id={origin.ids[index + 1]} origin={origin} />
    </nav>
  );
}

interface StepProps {
  icon: LucideIcon;
  label: string;
  id: string | undefined;
  origin: ListOrigin;
}

const look = 'hit-target flex size-8 items-center justify-center rounded-control';

function Step({ icon: Icon, label, id, origin }: StepProps) {
  if (id === undefined) {
    return (
      <span aria-hidden className={`${look} text-line2`}>
        <Icon className="size-4" />
      </span>
    );
  }
  return (
    <Link
      replace
      to={routes.viewDelivery({ deliveryId: id })}
      state={toLocationState(origin)}
      aria-label={label}
      className={`${look} text-muted hover:bg-raised hover:text-fg`}
    >
      <Icon aria-hidden className="size-4" />
    </Link>
  );
}
