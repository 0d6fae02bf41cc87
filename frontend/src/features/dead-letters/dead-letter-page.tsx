import { Pencil, RotateCw, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { CellLoading, RecordState } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { useNameOf } from '@/i18n/texts';
import { formatCount } from '@/lib/numbers';
import { routes, useRouteParams } from '@/routing/routes';
import { useWhileHere } from '@/routing/use-while-here';
import { useRecordName } from '@/shell/current-record';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { ConfirmDialog, Dialog, DialogContent } from '@/ui/dialog';
import { DialogForm } from '@/ui/dialog-form';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts, Panel } from '@/ui/panel';
import { Field } from '@/ui/field';
import { Note } from '@/ui/note';
import { StatusChip } from '@/ui/status-chip';
import { Textarea } from '@/ui/input';
import { toast } from '@/ui/toast';
import { failureTime, letterState } from './dead-letter-list';
import { JobDialog } from './jobs';
import { LetterAttempts } from './letter-attempts';
import { type Letter, letterQuery, resendMutation, type Turn } from './queries';

const POLL_INTERVAL_MS = 5000;
/** States in which a letter no longer changes. */
const FINAL_STATES: readonly string[] = ['success', 'discarded'];
const context = { additionalTypenames: ['DeadLetter'] };
/** What the server sends in place of a secret. A number follows it. */
const MASK = '••••';

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
  const isFinal = FINAL_STATES.includes(result.value?.state ?? '');
  usePolling(result.refresh, isFinal ? undefined : POLL_INTERVAL_MS);
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
            <LetterOrder letter={letter} />
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
  const nameOf = useNameOf();
  const { id, deliveryId, method, state, errorClass, resends, endpointName } = letter;
  const [, resend] = useMutation(resendMutation);
  const [open, setOpen] = useState<'edit' | 'discard' | 'again'>();
  const navigate = useNavigate();
  const whileHere = useWhileHere();
  const canAct = state === 'failed' || state === 'scheduled_retry';
  // A report from another system that could not be parsed.
  const isMalformed = method === 'event' && errorClass === 'validation';
  const wait = waitOf(letter);
  const resentText = wait ? t(`resentWaits.${wait}`) : t('resent');

  async function send(payload?: string) {
    const { error } = await resend(payload === undefined ? { id } : { id, payload }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(resentText);
    setOpen(undefined);
    onChange();
    return undefined;
  }

  /** Sends the message once more as a new letter, and opens the new letter. */
  async function replay() {
    const { data, error } = await resend({ id, again: true }, context);
    if (error || !data) return errorText(normalizeError(error));
    toast.success(resentText);
    void whileHere(() => navigate(routes.deadLetter({ id: data.resendDeadLetter.id })));
    return undefined;
  }

  async function sendAgain() {
    const failed = await send();
    if (failed !== undefined) toast.error(failed);
  }

  return (
    <div className="mb-4 flex flex-wrap items-center gap-3">
      <h2 className="text-lg font-semibold wrap-anywhere">{deliveryId || nameOf('dead-letters:methods', method)}</h2>
      <StatusChip kind="deadLetter" status={letterState(state)} size={24} />
      {canAct && resends > 0 && (
        <p className="text-sm text-muted">{t('letter.alreadyResent', { count: resends })}</p>
      )}
      {canAct && (
        <div className="ms-auto flex flex-wrap gap-2 max-md:ms-0">
          {method !== 'event' && (
            <Button variant="primary" icon={Pencil} onClick={() => setOpen('edit')}>
              {t('edit.verb')}
            </Button>
          )}
          {!isMalformed && (
            <Button icon={RotateCw} onClick={() => void sendAgain()}>
              {t('job.verb.resend')}
            </Button>
          )}
          <Button variant="danger" icon={Trash2} onClick={() => setOpen('discard')}>
            {t('job.verb.discard')}
          </Button>
        </div>
      )}
      {state === 'success' && method !== 'event' && endpointName !== null && (
        <Button icon={RotateCw} className="ms-auto max-md:ms-0" onClick={() => setOpen('again')}>
          {t('again.verb')}
        </Button>
      )}
      {open === 'again' && (
        <ConfirmDialog
          title={t('again.question')}
          text={t('again.text', { name: endpointName })}
          confirm={t('again.verb')}
          busy={t('again.busy')}
          onConfirm={replay}
          onClose={() => setOpen(undefined)}
        />
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

interface EditDialogProps {
  payload: string;
  /** Returns an error message, which keeps the dialog open. */
  onResend: (payload: string) => Promise<string | undefined>;
  onClose: () => void;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Edits the message that is sent in place of the original. */
function EditDialog({ payload, onResend, onClose }: EditDialogProps) {
  const { t } = useTranslation(['dead-letters', 'common']);
  const form = useId();
  const [text, setText] = useState(() =>
    isObject(payload) ? JSON.stringify(JSON.parse(payload), undefined, 2) : payload,
  );
  const [isWrong, setWrong] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  async function send() {
    if (!isObject(text)) {
      setWrong(true);
      return;
    }
    setBusy(true);
    setFailure(await onResend(text));
    setBusy(false);
  }

  return (
    <Dialog open onOpenChange={() => !isBusy && onClose()}>
      <DialogContent
        title={t('edit.title')}
        description={t('edit.text')}
        width={640}
        staysOpen
        footer={
          <>
            <Button disabled={isBusy} onClick={onClose}>
              {t('cancel', { ns: 'common' })}
            </Button>
            <Button type="submit" form={form} variant="primary" disabled={isBusy}>
              {t('edit.verb')}
            </Button>
          </>
        }
      >
        <DialogForm id={form} onSubmit={send}>
          {failure !== undefined && (
            <Note tone="bad" role="alert">
              {failure}
            </Note>
          )}
          <Field
            label={t('letter.body')}
            hint={text.includes(MASK) ? t('edit.masked', { mask: MASK }) : undefined}
            error={isWrong ? t('edit.wrong') : undefined}
            required
          >
            <Textarea
              value={text}
              rows={12}
              spellCheck={false}
              className="font-mono text-xs"
              onChange={({ target }) => {
                setText(target.value);
                setWrong(false);
              }}
            />
          </Field>
        </DialogForm>
      </DialogContent>
    </Dialog>
  );
}

/** Why the endpoint receives nothing at present, if so. */
function waitOf({ endpointOff, endpointPaused }: Letter): 'off' | 'paused' | undefined {
  if (endpointOff) return 'off';
  return endpointPaused ? 'paused' : undefined;
}

const ADVICE = [
  'off',
  'offFailed',
  'paused',
  'pausedFailed',
  'scheduled',
  'http_4xx',
  'validation',
  'redirect',
  'handling',
  'malformed',
  'reported',
] as const;

/** Explains the failure and what to do about it. */
function Advice({ letter }: { letter: Letter }) {
  const { t } = useTranslation('dead-letters');
  const { state, errorText, errorClass, discardReason, discardedBy } = letter;
  if (state === 'discarded') {
    return (
      <Note title={t('letter.discarded', { by: discardedBy })} className="mb-4">
        {discardReason}
      </Note>
    );
  }
  if (!errorText || state === 'success') return null;
  const isMalformed = letter.method === 'event' && errorClass === 'validation';
  const why = isMalformed ? 'malformed' : (errorClass ?? 'other');
  const wait = waitOf(letter);
  // A failed message isn't sent by itself once its endpoint receives again.
  const advice = state === 'failed' ? (wait ? `${wait}Failed` : why) : (wait ?? 'scheduled');
  const known = ADVICE.find((own) => own === advice) ?? 'other';
  return (
    <Note tone={state === 'failed' ? 'bad' : 'warn'} title={errorText} className="mb-4">
      {t(`advice.${known}`)}
    </Note>
  );
}

function LetterFacts({ letter }: { letter: Letter }) {
  const { t } = useTranslation('dead-letters');
  const nameOf = useNameOf();
  const { deliveryId, method, endpointName, endpointUrl, resends, idempotencyKey, producerName } = letter;
  const { processedAt, nextAttemptAt, queuedAt } = letter;
  const time = (at: string | null | undefined) => at && <DateTime instant={at} />;
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
          <Fact label={t('fields.method')} value={nameOf('dead-letters:methods', method)} />
          <Fact label={t('fields.endpoint')} value={endpointName} empty={t('noEndpoint')} />
          <Fact label={t('fields.resends')} value={t('letter.resent', { count: resends })} />
          <Fact label={t('fields.createdAt')} value={time(failureTime(letter))} empty={t('neverFailed')} />
          <Fact label={t('fields.processedAt')} value={time(processedAt)} empty={t('notSent')} />
          <Fact label={t('fields.nextAttemptAt')} value={time(nextAttemptAt)} empty={t('noNext')} />
          <Fact label={t('fields.queuedAt')} value={time(queuedAt)} />
          {producerName && <Fact label={t('fields.producer')} value={producerName} />}
          {letter.replayOf && (
            <Fact
              label={t('fields.replayOf')}
              value={
                <Link className="text-accent hover:underline" to={routes.deadLetter({ id: letter.replayOf })}>
                  {t('letter.original')}
                </Link>
              }
            />
          )}
          {endpointUrl && <Fact label={t('fields.url')} value={endpointUrl} wide />}
          <Fact label={t('fields.idempotencyKey')} value={idempotencyKey} wide />
        </Facts>
      </Panel>
    </>
  );
}

function TurnLink({ turn }: { turn: Turn }) {
  const { t } = useTranslation('dead-letters');
  const nameOf = useNameOf();
  return (
    <>
      <Link className="font-medium underline" to={routes.deadLetter({ id: turn.id })}>
        {nameOf('dead-letters:methods', turn.method)}
      </Link>{' '}
      {t('order.from')} <DateTime instant={turn.queuedAt} inline />
    </>
  );
}

/** Messages of one delivery are sent in order. Shows the message that blocks this letter, or those that it blocks. */
function LetterOrder({ letter }: { letter: Letter }) {
  const { t } = useTranslation('dead-letters');
  const { waitsBehind, behind, behindCount } = letter;
  if (waitsBehind) {
    return (
      <Note tone="warn" title={t('order.waits')} className="mb-4">
        <TurnLink turn={waitsBehind} />
        {waitsBehind.nextAttemptAt && (
          <>
            {', '}
            {t('order.next')} <DateTime instant={waitsBehind.nextAttemptAt} inline />
          </>
        )}
        {'. '}
        {t('order.advice')}
      </Note>
    );
  }
  if (behindCount === 0) return null;
  return (
    <Note title={t('order.holds', { count: behindCount, shown: formatCount(behindCount) })} className="mb-4">
      <ul>
        {behind.map((turn) => (
          <li key={turn.id}>
            <TurnLink turn={turn} />
          </li>
        ))}
      </ul>
      {behindCount > behind.length && (
        <p>{t('order.more', { shown: formatCount(behindCount - behind.length) })}</p>
      )}
      <p>{t('order.holdsText')}</p>
    </Note>
  );
}
