import { CircleCheck, CircleDashed, Clock } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, formatTime } from '@/lib/dates';
import { PhotoStrip, SignatureBox } from '@/domain/proof/proof-files';
import { Panel, PanelHead } from '@/ui/panel';
import { Tag } from '@/ui/tag';
import type { Attempt } from '../attempts';
import { givenProofs } from '../outcomes/proofs';
import type { Reasons } from '../use-reasons';

interface ProofPanelProps {
  attempt: Attempt;
  scanned: boolean;
  required: readonly string[];
  reasons: Reasons;
  timeZone: string;
}

/** Who took the goods, and what shows that. */
export function ProofPanel({ attempt, scanned, required, reasons, timeZone }: ProofPanelProps) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const { attachments, receivedBy, relation, status, occurredAt, receivedAt } = attempt;
  const signature = attachments.findLast(({ kind }) => kind === 'signature');
  const files = attachments.filter((attachment) => attachment !== signature);
  const given = givenProofs({
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
                    {t(`proof.kind.${proof}`)}
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
