import { Pencil, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { CellLoading } from '@/data/query-state';
import { RecordState } from '@/data/record-state';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { useRecordName } from '@/navigation/record-name';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { EditDialog } from '../components/edit-dialog';
import { JobDialog } from '../components/job-dialog';
import { LetterAttempts } from '../components/letter-attempts';
import { LetterFacts } from '../components/letter-facts';
import { type Letter, letterQuery, resendMutation } from '../queries';
import { letterState } from '../state';

const POLL_INTERVAL_MS = 5000;
const context = { additionalTypenames: ['DeadLetter'] };

export default function DeadLetterPage() {
  const { t } = useTranslation('dead-letters');
  const { id } = useRouteParams('deadLetter');
  const result = useRecord({
    document: letterQuery,
    variables: { id },
    typenames: ['DeadLetter'],
    read: ({ deliveryDeadLetter }) => deliveryDeadLetter,
  });
  useRecordName(result.value?.deliveryId || undefined);
  usePolling(result.refresh, POLL_INTERVAL_MS);
  return (
    <PageFrame>
      <RecordState
        result={result}
        loading={<CellLoading />}
        notFound={{
          title: t('letter.notFound.title'),
          text: t('letter.notFound.text'),
          action: t('letter.notFound.action'),
          to: routes.deadLetters(),
        }}
      >
        {(letter) => (
          <>
            <Head letter={letter} onChange={result.refresh} />
            <LetterFacts letter={letter} />
            <div className="mt-4">
              <LetterAttempts letter={letter} />
            </div>
          </>
        )}
      </RecordState>
    </PageFrame>
  );
}

function Head({ letter, onChange }: { letter: Letter; onChange: () => void }) {
  const { t } = useTranslation('dead-letters');
  const { id, deliveryId, method, state } = letter;
  const [, resend] = useMutation(resendMutation);
  const [open, setOpen] = useState<'edit' | 'discard'>();
  const canAct = state === 'failed' || state === 'scheduled_retry';

  async function send(payload?: string) {
    const { error } = await resend(payload === undefined ? { id } : { id, payload }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t('resent'));
    setOpen(undefined);
    onChange();
    return undefined;
  }

  async function sendAgain() {
    const failed = await send();
    if (failed !== undefined) toast.error(failed);
  }

  return (
    <div className="mb-4 flex flex-wrap items-center gap-3">
      <h2 className="text-lg font-semibold wrap-anywhere">{deliveryId || t(`methods.${method}`)}</h2>
      <StatusChip kind="deadLetter" status={letterState(state)} size={24} />
      {canAct && (
        <div className="ml-auto flex flex-wrap gap-2 max-md:ml-0">
          {method !== 'event' && (
            <Button variant="primary" icon={Pencil} onClick={() => setOpen('edit')}>
              {t('edit.verb')}
            </Button>
          )}
          <Button icon={RotateCw} onClick={() => void sendAgain()}>
            {t('job.verb.resend')}
          </Button>
          <Button variant="danger" icon={Trash2} onClick={() => setOpen('discard')}>
            {t('job.verb.discard')}
          </Button>
        </div>
      )}
      {open === 'edit' && (
        <EditDialog
          payload={letter.editedPayload ?? letter.payload}
          onResend={send}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'discard' && (
        <JobDialog
          action="discard"
          chosen={{ ids: [id] }}
          onStarted={onChange}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}
