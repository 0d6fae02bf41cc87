import { Download } from 'lucide-react';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { QueryState } from '@/data/query-state';
import { fetchAuthorized } from '@/data/web-actions';
import { downloadText } from '@/lib/download-text';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';

interface Notices {
  text?: string;
  error?: Error;
}

/** Loads the third-party notices, some hundred kilobytes, once per page load. */
function useThirdPartyNotices() {
  const { getToken } = useAuth();
  const [{ text, error }, setNotices] = useState<Notices>({});
  const [isBusy, setBusy] = useState(true);
  const running = useRef<AbortController>(undefined);

  const load = useCallback(async () => {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    setBusy(true);
    try {
      const answer = await fetchAuthorized('/third-party-notices.txt', { getToken, signal });
      const read = await answer.text();
      if (!signal.aborted) setNotices({ text: read });
    } catch (failure) {
      if (signal.aborted) return;
      setNotices({ error: failure instanceof Error ? failure : new Error(String(failure)) });
    }
    if (!signal.aborted) setBusy(false);
  }, [getToken]);

  useEffect(() => {
    void load();
    return () => running.current?.abort();
  }, [load]);

  return { text, error, isBusy, retry: () => void load() };
}

export default function ThirdPartyPage() {
  const { t } = useTranslation('account');
  const id = useId();
  const { text, error, isBusy, retry } = useThirdPartyNotices();
  return (
    <PageFrame fill>
      <Panel className="flex min-h-0 flex-1 flex-col overflow-hidden">
        <PanelHead
          id={id}
          line
          title={t('thirdParty.region')}
          tools={
            text !== undefined && (
              <Button
                icon={Download}
                size={28}
                onClick={() => downloadText('third-party-notices.txt', text, 'text/plain;charset=utf-8')}
              >
                {t('thirdParty.download')}
              </Button>
            )
          }
        />
        <QueryState value={text} error={error} status={isBusy ? 'refetch' : 'ready'} onRetry={retry}>
          {(notices) => (
            // Scroll areas must be reachable by keyboard.
            <pre
              tabIndex={0}
              aria-labelledby={id}
              role="region"
              className="min-h-0 flex-1 overflow-auto px-4 py-3 text-xs wrap-anywhere whitespace-pre-wrap"
            >
              {notices}
            </pre>
          )}
        </QueryState>
      </Panel>
    </PageFrame>
  );
}
