import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatPoint } from '@/proof/place';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { SidePanel } from '@/ui/side-panel';
import type { HistoryStep } from '../queries';
import { Actor } from './actor';
import { ChangesTable } from './changes-table';
import { ReasonLabel } from './reason-label';
import { StatusStep } from './status-step';
import { StepMarks } from './step-marks';

interface StepPanelProps {
  step: HistoryStep;
  onClose: () => void;
}

const link = 'font-medium text-accent hover:underline';

/** One step of a history in full. */
export function StepPanel({ step, onClose }: StepPanelProps) {
  const { t } = useTranslation(['status-histories', 'common']);
  const none = t('none', { ns: 'common' });
  const isMarked = step.late || step.superseded || step.correctionOf !== null;
  return (
    <SidePanel title={step.deliveryId} subtitle={<DateTime instant={step.occurredAt} />} onClose={onClose}>
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
          value={step.point && <span className="tabular-nums">{formatPoint(step.point)}</span>}
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
