import { CircleCheck, CircleDashed, Clock, MapPin, ShieldCheck, TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDistance, formatLocation, isFar } from '@/domain/location';
import { PhotoStrip, SignatureBox } from '@/domain/proof/proof-files';
import { useNameOf } from '@/i18n/texts';
import { formatDateTime, formatTime } from '@/lib/dates';
import { Panel, PanelHead } from '@/ui/panel';
import { Tag } from '@/ui/tag';
import type { Attempt } from './attempts';
import type { GeoPoint } from './delivery-queries';
import { providedProofs } from './outcomes/proofs';
import type { Reasons } from './use-reasons';

interface ProofPanelProps {
  attempt: Attempt;
  scanned: boolean;
  required: readonly string[];
  reasons: Reasons;
  timeZone: string;
}

/** The proof of delivery of an attempt: recipient and attachments. */
export function ProofPanel({ attempt, scanned, required, reasons, timeZone }: ProofPanelProps) {
  const { t } = useTranslation('deliveries');
  const nameOf = useNameOf();
  const id = useId();
  const { attachments, receivedBy, relation, status, occurredAt, receivedAt } = attempt;
  const signature = attachments.findLast(({ kind }) => kind === 'signature');
  const files = attachments.filter((attachment) => attachment !== signature);
  const given = providedProofs({
    signature: signature !== undefined,
    photo: attachments.some(({ kind }) => kind === 'photo'),
    receivedBy: receivedBy ?? '',
    scanned,
    located: attempt.point !== null,
    note: attempt.note ?? '',
  });
  const reason =
    status === 'Undelivered' || status === 'Rejected'
      ? reasons.label(status === 'Rejected' ? 'rejected' : 'undelivered', attempt.reason)
      : null;

  return (
    <Panel aria-labelledby={id}>
      <PanelHead
        id={id}
        title={t('proof.title')}
        note={t('proof.files', { count: attachments.length })}
        tools={
          <>
            {attempt.early && (
              <Tag tone="warn" icon={Clock}>
                {t('proof.early')}
              </Tag>
            )}
            {attempt.late && (
              <Tag tone="warn" icon={Clock}>
                {t('proof.late')}
              </Tag>
            )}
          </>
        }
      />
      <div className="flex flex-col gap-3 px-4 pt-1 pb-4">
        {reason && (
          <p className="text-sm">
            <span className="text-muted">{t('proof.reason')}</span> {reason}
          </p>
        )}
        <div className="flex flex-wrap gap-3">
          {signature && <SignatureBox attachment={signature} />}
          <div className="min-w-28 flex-1 text-sm">
            <p className="text-xs text-muted">{t('proof.receivedBy')}</p>
            <p className={receivedBy ? 'font-medium wrap-anywhere' : 'text-muted'}>
              {receivedBy ?? t('proof.nobody')}
            </p>
            {relation && <p className="text-xs text-muted">{t(`relation.${relation}`)}</p>}
            {signature && (
              <p className="text-xs text-muted tabular-nums">
                {t('proof.signed', { time: formatTime(signature.capturedAt, timeZone) })}
              </p>
            )}
          </div>
        </div>
        {files.length > 0 && <PhotoStrip attachments={files} />}
        {occurredAt && receivedAt && (
          <dl className="grid grid-cols-2 gap-x-4 text-xs">
            <dt className="text-muted">{t('proof.occurredAt')}</dt>
            <dt className="text-muted">{t('proof.receivedAt')}</dt>
            <dd className="tabular-nums">{formatDateTime(occurredAt, timeZone)}</dd>
            <dd className="tabular-nums">{formatDateTime(receivedAt, timeZone)}</dd>
          </dl>
        )}
        {required.length > 0 && attempt.isCurrent && (
          <div className="text-xs">
            <p className="text-muted">{t('proof.required')}</p>
            <ul className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
              {required.map((proof) => {
                const Icon = given.has(proof) ? CircleCheck : CircleDashed;
                return (
                  <li key={proof} className="flex items-center gap-1">
                    <Icon
                      aria-hidden
                      className={`size-3.5 ${given.has(proof) ? 'text-ok' : 'text-muted'}`}
                    />
                    {nameOf('deliveries:proof.kind', proof)}
                    <span className="sr-only">
                      {t(given.has(proof) ? 'proof.there' : 'proof.missing')}
                    </span>
                  </li>
                );
              })}
            </ul>
          </div>
        )}
      </div>
    </Panel>
  );
}

interface PlacePanelProps {
  attempt: Attempt;
  planned: GeoPoint | null;
}

/** The planned and the recorded location, with the distance between them. */
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
            {planned ? formatLocation(planned) : t('place.unknown')}
          </dd>
          <dt className="text-muted">{t('place.outcome')}</dt>
          <dd className="tabular-nums wrap-anywhere">
            {point ? formatLocation(point) : t('place.unknown')}
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
