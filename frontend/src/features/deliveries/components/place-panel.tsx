import { MapPin, ShieldCheck, TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDistance, formatPoint, isFar } from '@/domain/proof/place';
import { Panel, PanelHead } from '@/ui/panel';
import type { Attempt } from '../attempts';
import type { GeoPoint } from '../delivery-queries';

interface PlacePanelProps {
  attempt: Attempt;
  planned: GeoPoint | null;
}

/** Where it should have been, where it was, and how far that is apart. */
export function PlacePanel({ attempt, planned }: PlacePanelProps) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const { point, distance } = attempt;
  if (!planned && !point) return null;
  const far = distance !== null && isFar(distance);
  const Icon = far ? TriangleAlert : distance === null ? MapPin : ShieldCheck;

  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('place.title')} />
      <div className="px-4 pt-1 pb-4">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
          <dt className="text-muted">{t('place.planned')}</dt>
          <dd className="tabular-nums wrap-anywhere">
            {planned ? formatPoint(planned) : t('place.unknown')}
          </dd>
          <dt className="text-muted">{t('place.outcome')}</dt>
          <dd className="tabular-nums wrap-anywhere">
            {point ? formatPoint(point) : t('place.unknown')}
          </dd>
        </dl>
        {point && (
          <p
            className={`mt-3 flex items-start gap-2 text-sm ${far ? 'font-medium text-warn' : ''}`}
          >
            <Icon
              aria-hidden
              className={`mt-0.5 size-4 shrink-0 ${far ? '' : distance === null ? 'text-muted' : 'text-ok'}`}
            />
            {distance === null
              ? t('place.noDistance')
              : t(far ? 'place.far' : 'place.near', { distance: formatDistance(distance) })}
          </p>
        )}
      </div>
    </Panel>
  );
}
