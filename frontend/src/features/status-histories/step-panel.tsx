import { ArrowRight, Clock, Layers, PencilLine } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { ChangedValue } from '@/domain/changed-value';
import { formatLocation } from '@/domain/location';
import { useOutcomeReasonLabel, useReasonText } from '@/domain/lookups/outcome-reasons';
import { useNameOf } from '@/i18n/texts';
import type { RowPanelProps } from '@/list/row-panel';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/panel';
import { SidePanel } from '@/ui/side-panel';
import { StatusChip } from '@/ui/status-chip';
import { Table } from '@/ui/table';
import { Tag } from '@/ui/tag';
import type { FieldChange, HistoryStep } from './queries';

const link = 'font-medium text-accent hover:underline';

/** Details of one history step. */
export function StepPanel({ row: step, ...frame }: RowPanelProps<HistoryStep>) {
  const { t } = useTranslation(['status-histories', 'common']);
  const none = t('none', { ns: 'common' });
  const isMarked = step.late || step.superseded || step.correctionOf !== null;
  return (
    <SidePanel title={step.deliveryId} subtitle={<DateTime instant={step.occurredAt} />} {...frame}>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <StatusStep step={step} />
        <StepMarks step={step} />
      </div>
      {isMarked && (
        <ul className="mb-5 flex flex-col gap-1 text-sm text-muted">
          {step.late && <li>{t('explained.late')}</li>}
          {step.superseded && <li>{t('explained.superseded')}</li>}
          {step.correctionOf !== null && <li>{t('explained.correction')}</li>}
        </ul>
      )}
      <Facts columns={2} className="mb-5 grid-cols-2">
        <Fact
          label={t('fields.deliveryId')}
          value={
            <Link to={routes.viewDelivery({ deliveryId: step.deliveryId })} className={link}>
              {step.deliveryId}
            </Link>
          }
        />
        <Fact label={t('fields.shipmentnumber')} value={step.shipmentnumber} />
        <Fact label={t('fields.occurredAt')} value={<DateTime instant={step.occurredAt} />} />
        <Fact label={t('fields.receivedAt')} value={<DateTime instant={step.receivedAt} />} />
        <Fact label={t('fields.actorName')} value={<Actor step={step} />} />
        <Fact label={t('fields.attempt')} value={step.attempt} />
        <Fact
          label={t('fields.reasonCode')}
          value={step.reasonCode && <ReasonLabel step={step} />}
          empty={none}
        />
        <Fact
          label={t('fields.point')}
          value={step.point && <span className="tabular-nums">{formatLocation(step.point)}</span>}
          empty={none}
        />
        <Fact wide label={t('fields.note')} value={step.note} empty={none} />
        {step.uploadLogId && (
          <Fact
            wide
            label={t('fields.uploadLogId')}
            value={
              <Link to={routes.uploadedDetails({ uploadLog: step.uploadLogId })} className={link}>
                {t('showImport')}
              </Link>
            }
          />
        )}
      </Facts>
      <h3 className="mb-2 text-sm font-semibold">{t('changes.title')}</h3>
      <ChangesTable changes={step.changes} />
    </SidePanel>
  );
}

/** The name and type of the actor, because the name alone does not show whether the actor is a driver. */
export function Actor({ step }: { step: Pick<HistoryStep, 'actorName' | 'actorType'> }) {
  const nameOf = useNameOf();
  const { actorName, actorType } = step;
  const type = nameOf('status-histories:actors', actorType);
  if (!actorName || actorName === actorType) return type;
  return (
    <>
      {actorName} <span className="text-muted">{type}</span>
    </>
  );
}

const isReason = ({ field }: FieldChange) => field === 'outcomeReason' || field === 'varianceReason';

/** Changed fields with the values before and after. */
function ChangesTable({ changes }: { changes: readonly FieldChange[] }) {
  const { t } = useTranslation(['status-histories', 'deliveries']);
  const nameOf = useNameOf();
  const reasonText = useReasonText({ pause: !changes.some(isReason) });
  if (changes.length === 0) return <p className="text-sm text-muted">{t('changes.none')}</p>;
  const changed = ({ itemNumber, field }: FieldChange) => {
    const label = nameOf(['status-histories:changes.fields', 'deliveries:fields'], field);
    return itemNumber === null ? label : t('changes.ofItem', { item: itemNumber, field: label });
  };
  return (
    <div className="overflow-hidden rounded-control border border-line">
      <Table
        look="facts"
        caption={t('changes.title')}
        columns={[
          { id: 'field', header: t('changes.field'), render: changed, names: true, className: 'w-1/3' },
          {
            id: 'before',
            header: t('changes.before'),
            render: ({ field, before }) => <ChangedValue field={field} value={before} reasonText={reasonText} />,
          },
          {
            id: 'after',
            header: t('changes.after'),
            render: ({ field, after }) => <ChangedValue field={field} value={after} reasonText={reasonText} />,
            cellClassName: 'font-medium',
          },
        ]}
        rows={changes}
        rowKey={({ itemNumber, field }) => `${itemNumber} ${field}`}
      />
    </div>
  );
}

/** Shows the label of a reason, or its code until the reasons are loaded. */
export function ReasonLabel({ step }: { step: Pick<HistoryStep, 'reasonCode' | 'toStatus'> }) {
  const labelOf = useOutcomeReasonLabel();
  const { reasonCode, toStatus } = step;
  return reasonCode && labelOf(reasonCode, toStatus);
}

/** Shows a change of status. The first step has no previous status. */
export function StatusStep({ step }: { step: Pick<HistoryStep, 'fromStatus' | 'toStatus'> }) {
  const { t } = useTranslation('status-histories');
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {step.fromStatus && (
        <>
          <StatusChip kind="delivery" status={step.fromStatus} />
          <ArrowRight aria-hidden className="size-3.5 shrink-0 text-muted" />
          <span className="sr-only">{t('becomes')}</span>
        </>
      )}
      <StatusChip kind="delivery" status={step.toStatus} />
    </span>
  );
}

/** Flags of a step, such as superseded or corrected. */
export function StepMarks({ step }: { step: HistoryStep }) {
  const { t } = useTranslation('status-histories');
  return (
    <span className="inline-flex flex-wrap gap-1">
      {step.late && (
        <Tag tone="warn" icon={Clock}>
          {t('marks.late')}
        </Tag>
      )}
      {step.superseded && <Tag icon={Layers}>{t('marks.superseded')}</Tag>}
      {step.correctionOf !== null && (
        <Tag tone="info" icon={PencilLine}>
          {t('marks.correction')}
        </Tag>
      )}
    </span>
  );
}
