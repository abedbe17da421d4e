import Testing
import Uploads

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("photos", "photos"), ("up1/4711-3f2a", "up1/4711-3f2a"), ("", "''"), ("a b", "'a b'"), ("$HOME", "'$HOME'"),
        ("it's", "'it'\\''s'"), ("ä", "'ä'"),
        // To Swift, a quote and the accent behind it are one character.
        ("'\u{301}; ls", "''\\''\u{301}; ls'"),
    ]) func `a word is quoted where a shell needs it`(word: String, quoted: String) {
        #expect(ShellWord.quoted(word) == quoted)
    }
}
