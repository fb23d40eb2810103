package secret

import "testing"

func TestSecretsAreToldByTheirNames(t *testing.T) {
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": true, "GITHUB_TOKEN": true, "PGPASSWORD": true, "SSH_AUTH_SOCK": true, "AWS_SECRET_ACCESS_KEY": true,
		"apiKey": true, "APIKEY": true, "SESSION_COOKIE": true, "GOOGLE_APPLICATION_CREDENTIALS": true, "DB_PASS": true,
		"npm_config__authToken": true, "client.secret": true, "OAUTH_X": true, "KEY2": true, "TOKENS": true, "MYPASSPHRASE": true,
		"KEYBOARD": false, "MONKEY": false, "MONKEY_ISLAND": false, "GIT_AUTHOR_NAME": false, "COMPASS": false, "BYPASS": false,
		"PATH": false, "HOME": false, "PWD": false, "OLDPWD": false, "LANG": false, "TERM": false, "XAUTHORITY": false, "": false,
	} {
		if got := Name(name); got != want {
			t.Errorf("Name(%q) = %v, want %v", name, got, want)
		}
	}
}
