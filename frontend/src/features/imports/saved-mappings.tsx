import { Bookmark, Save } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { normalizeError } from '@/data/errors';
import { useConfirm } from '@/form/use-confirm';
import { SavedViewDialog } from '@/list/saved-view-dialog';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import type { ImportMapping } from './mapping-queries';
import type { UploadLog } from './queries';
import { SavedMappingsPanel } from './saved-mappings-panel';
import type { ColumnChoices, ColumnsStep } from './use-columns-step';
import { useSaveMapping } from './use-saved-mappings';

interface SavedMappingsProps {
  log: UploadLog;
  step: ColumnsStep;
  mapping: ImportMapping;
  choices: ColumnChoices;
  disabled: boolean;
}

const TOAST = 'saved-mapping';

/** Applies a saved mapping to the columns, or saves them as one. */
export function SavedMappings({ log, step, mapping, choices, disabled }: SavedMappingsProps) {
  const { t } = useTranslation(['imports', 'form']);
  const [isListed, setListed] = useState(false);
  const [isNaming, setNaming] = useState(false);
  const [wanted, setWanted] = useState('');
  const replacing = useConfirm();
  const { create } = useSaveMapping();
  const isNameless = choices.fields.some((field, index) => field !== null && mapping.columns[index]?.heading === '');

  async function save(name: string) {
    let { data, error } = await create(log.id, mapping, choices, name, false);
    let failed = error && normalizeError(error);
    if (failed?.reason === 'SAVED_MAPPING_EXISTS') {
      setWanted(name);
      if (!(await replacing.confirm())) return failed;
      ({ data, error } = await create(log.id, mapping, choices, name, true));
      failed = error && normalizeError(error);
    }
    if (failed || !data) return failed ?? normalizeError(error);
    step.linkSaved(data.createImportMapping.id);
    toast.success(t('mapping.saved.done', { name: data.createImportMapping.name }), { id: TOAST });
    return undefined;
  }

  return (
    <div className="flex flex-col gap-3 px-4 pt-3">
      <div className="flex flex-wrap gap-2">
        <Button icon={Bookmark} disabled={disabled} onClick={() => setListed(true)}>
          {t('mapping.saved.title')}
        </Button>
        <Button icon={Save} disabled={disabled} onClick={() => setNaming(true)}>
          {t('mapping.saved.save')}
        </Button>
      </div>
      <AppliedMapping step={step} mapping={mapping} disabled={disabled} />
      {isListed && (
        <SavedMappingsPanel
          log={log}
          mapping={mapping}
          onApply={(id) => {
            setListed(false);
            step.applySaved(id);
          }}
          onClose={() => setListed(false)}
        />
      )}
      {isNaming && (
        <SavedViewDialog
          title={t('mapping.saved.newTitle')}
          description={
            <>
              {t('mapping.saved.newText')} {isNameless && t('mapping.saved.nameless')}
            </>
          }
          name={mapping.savedMapping?.name ?? ''}
          onSave={save}
          onClose={() => setNaming(false)}
        />
      )}
      {replacing.isOpen && (
        <ConfirmDialog
          title={t('mapping.saved.replace.question', { name: wanted })}
          text={t('mapping.saved.replace.text')}
          confirm={t('mapping.saved.replace.confirm')}
          busy={t('saving', { ns: 'form' })}
          onConfirm={() => {
            replacing.answer(true);
            return Promise.resolve(undefined);
          }}
          onClose={() => replacing.answer(false)}
        />
      )}
    </div>
  );
}

/** Which saved mapping the choices come from, and which of its headings the file lacks. */
function AppliedMapping({ step, mapping, disabled }: Pick<SavedMappingsProps, 'step' | 'mapping' | 'disabled'>) {
  const { t } = useTranslation('imports');
  const applied = mapping.savedMapping;
  if (step.isSavedGone) return <Note tone="warn" role="status" title={t('mapping.saved.gone')} />;
  if (!applied) return null;
  const { name, missing, proposed } = applied;
  return (
    <Note
      role="status"
      tone={missing.length > 0 ? 'warn' : 'info'}
      title={t(proposed ? 'mapping.saved.proposed' : 'mapping.saved.applied', { name })}
      action={
        <Button size={28} disabled={disabled} onClick={() => step.applySaved('')}>
          {t('mapping.saved.withdraw')}
        </Button>
      }
    >
      {t(proposed ? 'mapping.saved.proposedText' : 'mapping.saved.appliedText')}{' '}
      {missing.length > 0 && t('mapping.saved.missing', { names: missing.join(', ') })}
    </Note>
  );
}
