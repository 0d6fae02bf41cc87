import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import type { Letter } from '../queries';

/** What went wrong, and what to do about it. */
function Advice({ letter }: { letter: Letter }) {
  const { t } = useTranslation('dead-letters');
  const { state, errorText, errorClass, endpointPaused, discardReason, discardedBy } = letter;
  if (state === 'discarded') {
    return (
      <Note title={t('letter.discarded', { by: discardedBy })} className="mb-4">
        {discardReason}
      </Note>
    );
  }
  if (!errorText || state === 'success') return null;
  const advice = endpointPaused ? 'paused' : state === 'failed' ? (errorClass ?? 'other') : 'scheduled';
  return (
    <Note tone={state === 'failed' ? 'bad' : 'warn'} title={errorText} className="mb-4">
      {t([`advice.${advice}`, 'advice.other'])}
    </Note>
  );
}

export function LetterFacts({ letter }: { letter: Letter }) {
  const { t } = useTranslation('dead-letters');
  const { deliveryId, method, endpointName, endpointUrl, attempts, resends, idempotencyKey } = letter;
  const { createdAt, processedAt, nextAttemptAt, queuedAt } = letter;
  const hasFailed = attempts > 0 && createdAt !== queuedAt;
  const time = (at: string | null) => at && <DateTime instant={at} />;
  return (
    <>
      <Advice letter={letter} />
      <Panel aria-label={t('letter.facts')} className="p-4">
        <Facts columns={4}>
          <Fact
            label={t('fields.deliveryId')}
            value={
              deliveryId && (
                <Link className="text-accent hover:underline" to={routes.viewDelivery({ deliveryId })}>
                  {deliveryId}
                </Link>
              )
            }
            empty={t('noDelivery')}
          />
          <Fact label={t('fields.method')} value={t(`methods.${method}`)} />
          <Fact label={t('fields.endpoint')} value={endpointName} empty={t('noEndpoint')} />
          <Fact label={t('fields.resends')} value={t('letter.resent', { count: resends })} />
          <Fact
            label={t('fields.createdAt')}
            value={hasFailed || method === 'event' ? time(createdAt) : undefined}
            empty={t('neverFailed')}
          />
          <Fact label={t('fields.processedAt')} value={time(processedAt)} empty={t('notSent')} />
          <Fact label={t('fields.nextAttemptAt')} value={time(nextAttemptAt)} empty={t('noNext')} />
          <Fact label={t('fields.queuedAt')} value={time(queuedAt)} />
          {endpointUrl && <Fact label={t('fields.url')} value={endpointUrl} wide />}
          <Fact label={t('fields.idempotencyKey')} value={idempotencyKey} wide />
        </Facts>
      </Panel>
    </>
  );
}
