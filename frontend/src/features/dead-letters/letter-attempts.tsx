import { CircleAlert, CircleCheck, Terminal } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { DateTime } from '@/ui/date-time';
import { lazyPart } from '@/ui/lazy-part';
import { Panel, PanelHead } from '@/ui/panel';
import { Segmented } from '@/ui/tabs';
import { Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast';
import { asCurl, pretty, requestBody } from './curl';
import type { MergeProps } from './merge';
import type { Attempt, Letter } from './queries';

interface CodeProps {
  label: string;
  text: string | null | undefined;
  empty: string;
}

/** Output of another system: untrusted, so rendered as text only. */
function Code({ label, text, empty }: CodeProps) {
  return (
    <section aria-label={label} className="min-w-0">
      <h3 className="mb-1 text-xs text-muted">{label}</h3>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scroll areas must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-control border border-line bg-raised p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {text ? pretty(text) : empty}
      </pre>
    </section>
  );
}

type Side = 'request' | 'response' | 'changes';

/** All recorded attempts, with request and response of the selected one. */
export function LetterAttempts({ letter }: { letter: Letter }) {
  const { t } = useTranslation(['dead-letters', 'common']);
  const { attemptLog, attempts } = letter;
  // The newest one until another is chosen, which then stays when more attempts are made.
  const [chosenAt, setChosenAt] = useState<string>();
  const [side, setSide] = useState<Side>('request');
  const newestFirst = attemptLog.toReversed();
  const chosen = Math.max(0, newestFirst.findIndex(({ at }) => at === chosenAt));
  const attempt = newestFirst[chosen];
  const isEvent = letter.method === 'event';

  async function copy() {
    try {
      await navigator.clipboard.writeText(asCurl(letter, attempt));
      toast.success(t('copied', { ns: 'common' }));
    } catch {
      toast.error(t('copyFailed', { ns: 'common' }));
    }
  }
  return (
    <Panel aria-labelledby="letter-attempts">
      <PanelHead
        id="letter-attempts"
        title={t('letter.attempts')}
        note={t('letter.attemptCount', { count: attempts, shown: formatCount(attempts) })}
        line
      />
      <div className="grid gap-4 p-4 lg:grid-cols-[minmax(280px,2fr)_3fr]">
        {newestFirst.length === 0 ? (
          <p className="text-sm text-muted">{t('letter.noAttempts')}</p>
        ) : (
          <ul className="self-start overflow-hidden rounded-control border border-line">
            {newestFirst.map((it, index) => (
              <li key={it.at + it.error} className="border-b border-line last:border-0">
                <button
                  type="button"
                  aria-pressed={index === chosen}
                  onClick={() => setChosenAt(it.at)}
                  className={cn(
                    'flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-2 text-start text-sm focus-visible:-outline-offset-2',
                    index === chosen ? 'bg-accent-soft' : 'hover:bg-raised',
                  )}
                >
                  {it.error ? (
                    <CircleAlert aria-hidden className="size-4 text-bad" />
                  ) : (
                    <CircleCheck aria-hidden className="size-4 text-ok" />
                  )}
                  <DateTime instant={it.at} inline />
                  <span className="ms-auto text-xs text-muted tabular-nums">
                    {!isEvent && t('letter.ms', { ms: formatCount(it.ms) })}
                  </span>
                  <span className="basis-full text-xs wrap-anywhere">
                    {it.error ?? t('letter.taken', { status: it.status })}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <div className="flex min-w-0 flex-col gap-3">
          {!isEvent && (
            <div className="flex flex-wrap items-center gap-2">
              <Segmented
                label={t('letter.side')}
                segments={[
                  { value: 'request', label: t('letter.request') },
                  { value: 'response', label: t('letter.response') },
                  { value: 'changes', label: t('letter.changes') },
                ]}
                value={side}
                onChange={setSide}
              />
              {side === 'request' && letter.endpointUrl && (
                <Button icon={Terminal} onClick={() => void copy()}>
                  {t('letter.curl')}
                </Button>
              )}
            </div>
          )}
          {side === 'request' && (
            <>
              {letter.requestHeaders && (
                <Code label={t('letter.headers')} text={letter.requestHeaders} empty="" />
              )}
              <Code label={t('letter.body')} text={requestBody(letter, attempt)} empty={t('letter.noBody')} />
            </>
          )}
          {side === 'response' && (
            <Code
              label={t('letter.responseBody')}
              text={attempt?.responseBody}
              empty={t('letter.noBody')}
            />
          )}
          {side === 'changes' && attempt && (
            <AttemptDiff
              {...{ letter, attempt }}
              previous={newestFirst[chosen + 1]}
              onMissing={() => setSide('request')}
            />
          )}
          {side === 'changes' && !attempt && <p className="text-sm text-muted">{t('letter.noAttempts')}</p>}
        </div>
      </div>
    </Panel>
  );
}

const Merge = lazyPart<MergeProps & { onMissing: () => void }>(
  () => import('./merge'),
  ({ onMissing }) => onMissing(),
);

interface AttemptDiffProps {
  letter: Letter;
  attempt: Attempt;
  /** The preceding attempt; undefined for the first recorded one. */
  previous: Attempt | undefined;
  onMissing: () => void;
}

/** Compares an attempt with the previous one: the requests and the responses. */
function AttemptDiff({ letter, attempt, previous, onMissing }: AttemptDiffProps) {
  const { t } = useTranslation('dead-letters');
  if (!previous) return <p className="text-sm text-muted">{t('letter.compare.none')}</p>;
  const request = [previous, attempt].map((it) => pretty(requestBody(letter, it)));
  const answer = [previous, attempt].map(({ status, error, responseBody }) =>
    [status ?? '', error ?? '', pretty(responseBody ?? '')].filter((line) => line !== '').join('\n'),
  );
  const pairs = [
    { what: 'request', before: request[0] ?? '', after: request[1] ?? '' },
    { what: 'response', before: answer[0] ?? '', after: answer[1] ?? '' },
  ] as const;
  return (
    <>
      <p className="text-xs text-muted">
        {t('letter.compare.with')} <DateTime instant={previous.at} inline />
      </p>
      {pairs.map(({ what, before, after }) =>
        before === after ? (
          <p key={what} className="text-sm">
            {t(`letter.compare.same.${what}`)}
          </p>
        ) : (
          <Suspense key={what} fallback={<Skeleton className="h-32 w-full" />}>
            <Merge label={t(`letter.${what}`)} before={before} after={after} onMissing={onMissing} />
          </Suspense>
        ),
      )}
    </>
  );
}
