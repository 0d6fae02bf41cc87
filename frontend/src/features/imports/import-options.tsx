import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ImportMode } from '@/data/web-actions';
import { downloadText } from '@/lib/download-text';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { Field } from '@/ui/field';
import { Panel } from '@/ui/panel';
import { Select } from '@/ui/input';
import { TEMPLATE_FILENAME, templateCsv } from './template';
import type { SourcesControl } from './use-sources';

interface ImportOptionsProps {
  sources: SourcesControl;
  mode: ImportMode;
  onMode: (mode: ImportMode) => void;
  dryRun: boolean;
  onDryRun: (dryRun: boolean) => void;
  chooseColumns: boolean;
  onChooseColumns: (chooseColumns: boolean) => void;
  disabled: boolean;
}

const MODES: readonly ImportMode[] = ['upsert', 'create_only', 'skip_existing'];

export function ImportOptions(props: ImportOptionsProps) {
  const { sources, mode, onMode, dryRun, onDryRun, chooseColumns, onChooseColumns, disabled } = props;
  const { t } = useTranslation(['imports', 'common']);
  const { loading, failed, chosen } = sources;
  const none = !loading && !failed && chosen === undefined;
  return (
    <Panel className="flex flex-col gap-4 p-4">
      <Field
        label={t('source.label')}
        hint={t('source.hint')}
        error={failed ? t('source.failed') : none ? t('source.none') : undefined}
        action={
          failed && (
            <Button variant="ghost" size={28} className="text-accent!" onClick={sources.retry}>
              {t('common:retry')}
            </Button>
          )
        }
      >
        <Select
          value={chosen ?? ''}
          disabled={disabled || chosen === undefined}
          onChange={({ target }) => sources.choose(target.value)}
        >
          {chosen === undefined && (
            <option value="">{t(loading ? 'common:loading' : 'common:none')}</option>
          )}
          {sources.sources.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('mode.label')} hint={t(`mode.hint.${mode}`)}>
        <Select
          value={mode}
          disabled={disabled}
          onChange={({ target }) => onMode(target.value as ImportMode)}
        >
          {MODES.map((each) => (
            <option key={each} value={each}>
              {t(`mode.${each}`)}
            </option>
          ))}
        </Select>
      </Field>
      <div>
        <Checkbox
          label={t('dryRun.label')}
          checked={dryRun}
          disabled={disabled}
          onChange={({ target }) => onDryRun(target.checked)}
        />
        <p className="mt-0.5 text-xs text-muted">{t('dryRun.hint')}</p>
      </div>
      <div>
        <Checkbox
          label={t('chooseColumns.label')}
          checked={chooseColumns}
          disabled={disabled}
          onChange={({ target }) => onChooseColumns(target.checked)}
        />
        <p className="mt-0.5 text-xs text-muted">{t('chooseColumns.hint')}</p>
      </div>
      <div className="border-t border-line pt-3">
        <Button
          variant="ghost"
          icon={Download}
          className="-ms-3 text-accent!"
          onClick={() => downloadText(TEMPLATE_FILENAME, templateCsv())}
        >
          {t('template.download')}
        </Button>
        <p className="mt-0.5 text-xs text-muted">{t('template.hint')}</p>
      </div>
    </Panel>
  );
}
