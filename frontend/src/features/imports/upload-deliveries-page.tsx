import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { checkImportFile, IMPORT_ACCEPT, type FileProblem } from '@/data/file-rules';
import { useOfficeRules } from '@/data/use-office-rules';
import type { ImportMode } from '@/data/web-actions';
import { formatLimit } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { DropZone } from '@/ui/drop-zone';
import { Note } from '@/ui/note';
import { ImportOptions } from './import-options';
import { PausedNote } from './paused-note';
import { RecentImports } from './recent-imports';
import { UploadProgress } from './upload-progress';
import { useImport } from './use-import';
import { useSources } from './use-sources';

interface Refused {
  name: string;
  problem: FileProblem;
}

export default function UploadDeliveriesPage() {
  const { t } = useTranslation('imports');
  const navigate = useNavigate();
  const sources = useSources();
  const { maxImportBytes } = useOfficeRules();
  const [refused, setRefused] = useState<Refused>();
  const [mode, setMode] = useState<ImportMode>('upsert');
  const [dryRun, setDryRun] = useState(false);
  const [chooseColumns, setChooseColumns] = useState(false);
  const { state, start, cancel } = useImport(
    useCallback(
      (uploadLog: string) => void navigate(routes.uploadedDetails({ uploadLog })),
      [navigate],
    ),
  );

  function take(file: File) {
    const problem = checkImportFile(file, maxImportBytes);
    setRefused(problem && { name: file.name, problem });
    if (!problem && sources.chosen) start(file, { sourceId: sources.chosen, mode, dryRun, chooseColumns });
  }

  // Accepts spreadsheet cells pasted anywhere on the page.
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const isField = (event.target as Element).closest('input, textarea, [contenteditable]');
    if (isField || state.status === 'busy' || !text.includes('\n')) return;
    event.preventDefault();
    take(new File([text], t('pasted'), { type: 'text/csv' }));
  });
  useEffect(() => {
    const listener = (event: ClipboardEvent) => onPaste(event);
    document.addEventListener('paste', listener);
    return () => document.removeEventListener('paste', listener);
  }, []);

  return (
    <PageFrame className="gap-4">
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
        <div className="flex min-w-0 flex-col gap-3">
          <PausedNote />
          {refused && (
            <Note tone="bad" role="alert" title={t(`problems.${refused.problem}.title`)}>
              {t(`problems.${refused.problem}.text`, { name: refused.name, size: formatLimit(maxImportBytes) })}
            </Note>
          )}
          {state.status === 'failed' && (
            <Note tone="bad" role="alert" title={state.message}>
              {state.detail && <p>{state.detail}</p>}
              <p>{t(state.mayHaveStarted ? 'startedHint' : 'failedHint', { name: state.file.name })}</p>
            </Note>
          )}
          {state.status === 'busy' ? (
            <UploadProgress state={state} onCancel={cancel} />
          ) : (
            <DropZone
              title={t('drop.title')}
              text={t('drop.text', { size: formatLimit(maxImportBytes) })}
              chooseLabel={t('drop.choose')}
              accept={IMPORT_ACCEPT}
              disabled={!sources.chosen}
              onFile={take}
            />
          )}
        </div>
        <ImportOptions
          sources={sources}
          mode={mode}
          onMode={setMode}
          dryRun={dryRun}
          onDryRun={setDryRun}
          chooseColumns={chooseColumns}
          onChooseColumns={setChooseColumns}
          disabled={state.status === 'busy'}
        />
      </div>
      <RecentImports />
    </PageFrame>
  );
}
