import { routes, useRouteParams } from '@/routing/routes';
import { SettingView } from './setting-view';
import { SYSTEM_SETTINGS } from './settings-list';

export default function SystemSettingPage() {
  const { settingsId } = useRouteParams('systemSetting');
  return (
    <SettingView
      key={settingsId}
      forPlanners
      id={settingsId}
      list={{ name: SYSTEM_SETTINGS, address: routes.systemSettings() }}
    />
  );
}
