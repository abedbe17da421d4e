/// Nothing is recorded: another notifier has changed the registered delegates since this one has read them.
package struct DelegatesChanged: Error {
    package init() {}
}
