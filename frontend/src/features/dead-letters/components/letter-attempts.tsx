import { CircleAlert, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { cn } from '@/ui/cn';
import { DateTime } from '@/ui/date-time';
import { Panel, PanelHead } from '@/ui/panel';
import { Segmented } from '@/ui/segmented';
import type { Letter } from '../queries';

/** JSON with line breaks; other text as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

interface CodeProps {
  label: string;
  text: string | null | undefined;
  empty: string;
}

/** Text of a machine. It may be hostile, and is shown as text only. */
function Code({ label, text, empty }: CodeProps) {
  return (
    <section aria-label={label} className="min-w-0">
      <h3 className="mb-1 text-xs text-muted">{label}</h3>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reachable by keys
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-control border border-line bg-raised p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {text ? pretty(text) : empty}
      </pre>
    </section>
  );
}

/** Every attempt that is kept, and what was sent and answered in the chosen one. */
export function LetterAttempts({ letter }: { letter: Letter }) {
  const { t } = useTranslation('dead-letters');
  const { attemptLog, attempts } = letter;
  const [chosen, setChosen] = useState(0);
  const [side, setSide] = useState<'request' | 'response'>('request');
  const newestFirst = attemptLog.toReversed();
  const attempt = newestFirst[chosen];
  const isEvent = letter.method === 'event';
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
                  onClick={() => setChosen(index)}
                  className={cn(
                    'flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-2 text-left text-sm focus-visible:-outline-offset-2',
                    index === chosen ? 'bg-accent-soft' : 'hover:bg-raised',
                  )}
                >
                  {it.error ? (
                    <CircleAlert aria-hidden className="size-4 text-bad" />
                  ) : (
                    <CircleCheck aria-hidden className="size-4 text-ok" />
                  )}
                  <DateTime instant={it.at} inline />
                  <span className="ml-auto text-xs text-muted tabular-nums">
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
            <Segmented
              label={t('letter.side')}
              className="self-start"
              segments={[
                { value: 'request', label: t('letter.request') },
                { value: 'response', label: t('letter.response') },
              ]}
              value={side}
              onChange={setSide}
            />
          )}
          {side === 'request' ? (
            <>
              {letter.requestHeaders && (
                <Code label={t('letter.headers')} text={letter.requestHeaders} empty="" />
              )}
              <Code
                label={t('letter.body')}
                text={attempt?.requestBody ?? (attempt ? letter.payload : (letter.editedPayload ?? letter.payload))}
                empty={t('letter.noBody')}
              />
            </>
          ) : (
            <Code
              label={t('letter.responseBody')}
              text={attempt?.responseBody}
              empty={t('letter.noBody')}
            />
          )}
        </div>
      </div>
    </Panel>
  );
}
