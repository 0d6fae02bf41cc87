import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { formatElapsed } from '@/lib/dates';
import { formatBytes, formatCount, percent } from '@/lib/numbers';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import type { UploadLog } from './queries';
import { elapsedMs, isRunning } from './upload-status';
import { CancelUpload } from './cancel-upload';

export function ImportRunning({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const { hasRole } = useAuth();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);

  const { status, bytesRead, sizeBytes } = log;
  const started = status !== 'uploaded' && sizeBytes > 0;
  const facts = {
    rows: formatCount(log.rowsTotal),
    refused: formatCount(log.rowsFailed),
    read: t('running.bytes', { read: formatBytes(bytesRead), size: formatBytes(sizeBytes) }),
    elapsed: formatElapsed(elapsedMs(log, now)),
  };

  return (
    <Panel aria-label={t('running.title')} className="p-4">
      <div className="flex items-center justify-between gap-3 text-sm">
        {/* Only the text is announced, because it rarely changes. Screen readers would announce the counts every
           second. */}
        <p role="status" className="font-medium">
          {isRunning(status) && t(`running.${status}`)}
        </p>
        <span className="text-muted tabular-nums">
          {started && `${percent(bytesRead, sizeBytes)}%`}
        </span>
      </div>
      <ProgressBar
        className="mt-2"
        label={t('running.title')}
        value={started ? bytesRead / sizeBytes : undefined}
      />
      <dl className="mt-4 grid grid-cols-2 gap-4 sm:grid-cols-4">
        {(['rows', 'refused', 'read', 'elapsed'] as const).map((name) => (
          <div key={name}>
            <dt className="text-xs text-muted">{t(`running.facts.${name}`)}</dt>
            <dd className="mt-0.5 text-base font-medium tabular-nums">{facts[name]}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <p className="text-xs text-muted">{t('running.leave')}</p>
        {hasRole(WRITE_ROLES) && (
          <CancelUpload
            log={log}
            label={t(status === 'checking' ? 'running.cancelCheck' : 'running.cancelImport')}
          />
        )}
      </div>
    </Panel>
  );
}
