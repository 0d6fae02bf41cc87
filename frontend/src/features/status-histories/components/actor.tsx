import { useTranslation } from 'react-i18next';
import type { HistoryStep } from '../queries';

/** Who, and by which way: the name alone does not tell a driver from a colleague. */
export function Actor({ step }: { step: Pick<HistoryStep, 'actorName' | 'actorType'> }) {
  const { t } = useTranslation('status-histories');
  const { actorName, actorType } = step;
  const type = t(`actors.${actorType}`, { defaultValue: actorType });
  if (!actorName || actorName === actorType) return type;
  return (
    <>
      {actorName} <span className="text-muted">{type}</span>
    </>
  );
}
