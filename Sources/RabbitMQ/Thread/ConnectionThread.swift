import CRabbitMQ
import Glibc

/// Starts the thread that owns a connection.
enum ConnectionThread {
    /// The library decodes headers by recursion, without a bound. A frame of 128 KiB has room for 26,000 nested arrays,
    /// which take between 2 and 4 MiB of stack. The process's own limit (`ulimit -s`) may be lower.
    private static let stackBytes = 8 << 20

    static func start(_ core: ConnectionCore) throws(RabbitMQError) {
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        let argument = Unmanaged.passRetained(core)
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let core = Unmanaged<ConnectionCore>.fromOpaque(argument).takeRetainedValue()
                longshore_name_thread("rabbitmq")
                Driver(core).run()
                return nil
            }, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            throw RabbitMQError(
                .connectionRefused, "no thread can be made (errno \(status)): raise the limit of threads")
        }
        pthread_detach(thread)
    }
}
